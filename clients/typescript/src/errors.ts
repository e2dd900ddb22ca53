import type { Problem } from "./api.js";

/** The gateway refused a request; `message` says why and what to do about it. */
export class TurnfoldError extends Error {
  override readonly name: string = "TurnfoldError";

  constructor(
    /** The problem as the gateway sent it (RFC 9457), with further members such as `needed_tokens` or `suggestion`. */
    readonly problem: Problem,
    /** Seconds after which a repeat may succeed; undefined where it will not. */
    readonly retryAfterSeconds?: number,
  ) {
    super(problem.remedy ? `${problem.detail} (${problem.remedy})` : problem.detail);
  }

  /** HTTP status. */
  get status(): number {
    return this.problem.status;
  }

  /** What kind of problem it is: "invalid-budget", "unknown-marker", "inbox-full" … */
  get kind(): string {
    return this.problem.type.replace("urn:turnfold:problem:", "");
  }
}

/** No answer came: a network that failed, a deadline, or an answer that is none of the gateway's. */
export class TurnfoldUnreachable extends Error {
  override readonly name = "TurnfoldUnreachable";
}

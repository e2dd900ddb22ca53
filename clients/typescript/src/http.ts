import type { Problem } from "./api.js";
import { TurnfoldError, TurnfoldUnreachable } from "./errors.js";

export interface TurnfoldOptions {
  /** Where the gateway listens: "https://turnfold.example.com". */
  baseUrl: string;
  /** A key of `turnfold keys create`. */
  apiKey: string;
  /** Longest wait for one answer, in milliseconds. Default 10,000. */
  timeoutMs?: number;
  /** How often a request that failed is tried again. Default 2. Every request here may be repeated. */
  retries?: number;
  /** What makes requests, in the place of the global `fetch`. */
  fetch?: typeof fetch;
}

export interface RequestOptions {
  body?: unknown;
  query?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** Longest wait for this answer; the client's `timeoutMs` if left out. */
  timeoutMs?: number;
  /** Ends the request, and its repeats. */
  signal?: AbortSignal;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const WORTH_A_REPEAT = new Set([408, 429, 502, 503, 504]);

/** Makes requests of one gateway with one key. */
export class Http {
  readonly #options: TurnfoldOptions;
  readonly #base: string;

  constructor(options: TurnfoldOptions) {
    if (!/^https?:\/\//.test(options.baseUrl)) {
      throw new TypeError(`baseUrl must begin with https:// or http://, not ${JSON.stringify(options.baseUrl)}`);
    }
    if (!options.apiKey) {
      throw new TypeError("apiKey is missing: make one with `turnfold keys create`");
    }
    this.#options = options;
    this.#base = options.baseUrl.replace(/\/+$/, "");
  }

  /** Longest wait for one answer, in milliseconds. */
  get timeoutMs(): number {
    return this.#options.timeoutMs ?? 10_000;
  }

  /** The answer's JSON; undefined where there is none. Throws TurnfoldError or TurnfoldUnreachable. */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const retries = this.#options.retries ?? 2;
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#once<T>(method, path, options);
      } catch (error) {
        if (attempt >= retries || options.signal?.aborted || !isWorthARepeat(error)) throw error;
        await pause(error, attempt, options.signal);
      }
    }
  }

  async #once<T>(method: string, path: string, options: RequestOptions): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.timeoutMs;
    const deadline = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await (this.#options.fetch ?? fetch)(`${this.#base}${path}${queryString(options.query)}`, {
        method,
        headers: {
          accept: "application/json",
          authorization: `Bearer ${this.#options.apiKey}`,
          ...(options.body === undefined ? {} : { "content-type": "application/json" }),
          ...options.headers,
        },
        body: options.body === undefined ? undefined : JSON.stringify(options.body),
        // A redirect would carry the key to wherever it leads.
        redirect: "error",
        signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
      });
      text = await response.text();
    } catch (cause) {
      if (options.signal?.aborted) throw options.signal.reason;
      const why = deadline.aborted ? `no answer within ${timeoutMs} ms` : String((cause as Error).message ?? cause);
      throw new TurnfoldUnreachable(`the gateway at ${this.#base} cannot be asked: ${why}`, { cause });
    }
    if (!response.ok) throw refusal(response, text);
    return (text ? parsed(text, this.#base) : undefined) as T;
  }
}

/** Parts of a path, each percent-encoded. */
export function pathOf(...parts: string[]): string {
  // `fetch` resolves these, encoded or not: the deletion of the turn `..` would be that of its conversation.
  const bad = parts.find((part) => ["", ".", ".."].includes(part));
  if (bad !== undefined) throw new TypeError(`${JSON.stringify(bad)} is no id: use one with a letter or a digit`);
  return parts.map((part) => `/${encodeURIComponent(part)}`).join("");
}

function queryString(query: Record<string, unknown> = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, given] of Object.entries(query)) {
    if (given === undefined || given === null) continue;
    for (const part of Array.isArray(given) ? given : [given]) {
      parameters.append(name, part instanceof Date ? part.toISOString() : String(part));
    }
  }
  const text = parameters.toString();
  return text ? `?${text}` : "";
}

function refusal(response: Response, text: string): TurnfoldError {
  let problem: Problem;
  try {
    problem = JSON.parse(text) as Problem;
    if (typeof problem.detail !== "string") throw new TypeError();
  } catch {
    // What stands between here and the gateway answers in its own words.
    const detail = `the answer is HTTP ${response.status}: ${text.slice(0, 200)}`;
    problem = { type: "about:blank", title: response.statusText, status: response.status, detail, remedy: "" };
  }
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return new TurnfoldError(problem, Number.isFinite(seconds) ? seconds : undefined);
}

function parsed(text: string, base: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TurnfoldUnreachable(`what answers at ${base} is no gateway: ${text.slice(0, 80)}`, { cause });
  }
}

function isWorthARepeat(error: unknown): boolean {
  if (error instanceof TurnfoldError) {
    // A quota of a day is not awaited.
    return WORTH_A_REPEAT.has(error.status) && (error.retryAfterSeconds ?? 0) * 1_000 <= LONGEST_PAUSE_MS;
  }
  return error instanceof TurnfoldUnreachable;
}

async function pause(error: unknown, attempt: number, signal?: AbortSignal): Promise<void> {
  const asked = error instanceof TurnfoldError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
  const milliseconds = Math.max(asked, FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_PAUSE_MS));
    signal?.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason)), { once: true });
  });
}

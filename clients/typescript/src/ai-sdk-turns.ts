import type { TurnInput } from "./turns.js";

const MOST = 10_000;

/** Ids of turns that were stored by this process, so that they are not sent with every call; the oldest are forgotten. */
export class KnownTurns {
  readonly #ids = new Set<string>();

  unknown(turns: TurnInput[]): TurnInput[] {
    return turns.filter((turn) => !this.#ids.has(turn.turn_id!));
  }

  add(turns: TurnInput[]): void {
    for (const turn of turns) this.#ids.add(turn.turn_id!);
    for (const id of this.#ids) {
      if (this.#ids.size <= MOST) return;
      this.#ids.delete(id);
    }
  }
}

/** A turn to append: a provider's message as it is, or these fields. */
export interface TurnInput {
  role: "system" | "user" | "assistant" | "tool" | "developer" | (string & {});
  content: unknown;
  /** Yours, or made here: a turn whose id is known already changes nothing. */
  turn_id?: string;
  name?: string;
  /** When it was said, with an offset: "2026-05-03T10:00:00Z". */
  created_at?: string | Date;
  importance?: "low" | "normal" | "medium" | "high" | "pin";
  metadata?: Record<string, unknown>;
  [field: string]: unknown;
}

/** The turns with an id each, so that a request that is repeated after a broken connection stores none of them twice. */
export function withIds(turns: TurnInput[]): TurnInput[] {
  return turns.map((turn) => ({ ...turn, turn_id: turn.turn_id ?? crypto.randomUUID() }));
}

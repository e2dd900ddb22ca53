/** The stored end of one conversation, and which of an application's messages are new to it. */
import { align, behind, digestOf, goesOn, idAfter, storedAs, type Stored } from "./ai-sdk-alignment.js";
import { keyOf, keyOfWords, spokenOf, turnsOf, type Message } from "./ai-sdk-messages.js";
import type { Turnfold } from "./client.js";
import type { TurnInput } from "./turns.js";

/** Of stored turns, how many are looked at: the end of a history has to reach back to one of them. */
const NEWEST = 200;
const MOST = 1_000;

/** A message with the id that it has in the conversation. */
export interface Placed {
  id: string;
  digest: string;
  isNew: boolean;
  turns: TurnInput[];
}

export class StoredHistory {
  readonly #turnfold: Turnfold;
  readonly #conversation: string;
  /** The newest stored messages as this process knows them; undefined before it looked. */
  #stored?: Stored[];
  /** Whether these are all there are. */
  #isWhole = false;

  constructor(turnfold: Turnfold, conversation: string) {
    this.#turnfold = turnfold;
    this.#conversation = conversation;
  }

  /** The messages that are turns, with their ids. Asks the gateway where this process does not know how they go on. */
  async place(messages: Message[]): Promise<Placed[]> {
    const spoken = spokenOf(messages);
    const digests = spoken.map((message) => digestOf(keyOf(message)));
    let alignment = this.#stored && align(this.#stored, digests, this.#isWhole);
    if (!goesOn(alignment, this.#stored ?? [])) {
      this.#stored = await this.#newest();
      alignment = align(this.#stored, digests, this.#isWhole) ?? behind(this.#stored);
    }
    let previous = alignment.previous;
    return spoken.map((message, place) => {
      const digest = digests[place]!;
      const isNew = place >= alignment.newFrom;
      if (isNew) previous = idAfter(previous, digest);
      const id = isNew ? previous : (alignment.ids.get(place) ?? "");
      return { id, digest, isNew, turns: isNew ? turnsOf(message, id) : [] };
    });
  }

  /** A message that follows the one with the id `previous`. */
  next(previous: string, message: Message): Placed[] {
    const digest = digestOf(keyOf(message));
    const id = idAfter(previous, digest);
    return spokenOf([message]).map(() => ({ id, digest, isNew: true, turns: turnsOf(message, id) }));
  }

  /** Store those that are new. A repeat changes nothing. */
  async append(placed: Placed[], subject?: string): Promise<void> {
    const known = new Set(this.#stored?.map((message) => message.id));
    const fresh = placed.filter((message) => message.isNew && !known.has(message.id));
    if (!fresh.length) return;
    await this.#turnfold.append(this.#conversation, fresh.flatMap((message) => message.turns), { subject });
    const grown = [...(this.#stored ?? []), ...fresh.map(({ id, digest }) => ({ id, digest }))];
    this.#isWhole &&= grown.length <= MOST;
    this.#stored = grown.slice(-MOST);
  }

  async #newest(): Promise<Stored[]> {
    const { stored, inbox } = await this.#turnfold.status(this.#conversation);
    const newest: Stored[] = [];
    this.#isWhole = stored + inbox <= NEWEST;
    if (!stored && !inbox) return newest;
    for await (const turn of this.#turnfold.turns(this.#conversation, { after: Math.max(0, stored + inbox - NEWEST) })) {
      const message = storedAs(turn.turn_id) ?? {
        id: turn.turn_id, digest: digestOf(keyOfWords(turn.role, turn.content)),
      };
      if (newest.at(-1)?.id !== message.id) newest.push(message);
    }
    return newest;
  }
}

/**
 * Where an application's history lies beside the stored conversation. Pure.
 *
 * An application gives its whole history with each call, or only the end of it, and no message has an id. A turn's id is
 * made of what its message says and of the id before it: what is sent twice is one turn, what is said twice is two. For a
 * history whose beginning was cut off the id before it is found by laying it beside the newest stored turns.
 */
import { createHash } from "node:crypto";

/** A stored message, as far as alignment looks. */
export interface Stored {
  /** Of its first turn: a message with the results of several tools is several turns. */
  id: string;
  digest: string;
}

/** How a history lies beside what is stored. */
export interface Alignment {
  /** Place of the first message that may be new. */
  newFrom: number;
  /** Id of the stored message before it; empty where nothing is stored. */
  previous: string;
  /** Ids of stored messages, by the places of the application's own. */
  ids: Map<number, string>;
}

interface Run {
  /** Place of the last message that equals a stored one. */
  last: number;
  storedLast: number;
  length: number;
}

const DIGITS = 16;
const ID = /^(ai-([0-9a-f]{16})-[0-9a-f]{16})/;

/** 16 hexadecimal digits of what tells a message from others. */
export const digestOf = (key: unknown): string => hash(JSON.stringify(key));

/** The id of the message with a digest behind the one with the id `previous`; empty: it is the first. */
export const idAfter = (previous: string, digest: string): string => `ai-${digest}-${hash(`${previous}\n${digest}`)}`;

/** A message's id and digest, out of the id of one of its turns; undefined for one that was appended otherwise. */
export function storedAs(turnId: string): Stored | undefined {
  const match = ID.exec(turnId);
  return match ? { id: match[1]!, digest: match[2]! } : undefined;
}

/**
 * Lay a history beside the newest stored messages; undefined where they share too little to tell. `whole`: nothing stored
 * is older than these.
 *
 * A history that is all of a whole conversation but its last message has that one made again.
 * The best evidence is the longest run of equal messages that ends where the stored ones end, the earliest of equally
 * long ones: a message is rather stored twice than lost. One message is enough at the beginning of the history. Without
 * such a run the last one of two or more says where the application went another way, or where others went on.
 */
export function align(stored: Stored[], digests: string[], whole: boolean): Alignment | undefined {
  const runs = runsOf(stored, digests);
  const lacksTheLast = runs.find((run) => run.length === digests.length && run.length === stored.length - 1);
  const atTheEnd = runs.filter((run) => run.storedLast === stored.length - 1 && (run.length > 1 || run.last === 0));
  const elsewhere = runs.filter((run) => run.length > 1 || (run.last === 0 && run.storedLast === 0));
  const again = whole && lacksTheLast?.storedLast === stored.length - 2 ? lacksTheLast : undefined;
  const best = again ?? longest(atTheEnd) ?? farthest(elsewhere);
  if (!best) return undefined;
  const ids = new Map<number, string>();
  for (let back = 0; back < best.length; back += 1) {
    ids.set(best.last - back, stored[best.storedLast - back]!.id);
  }
  return { newFrom: best.last + 1, previous: stored[best.storedLast]!.id, ids };
}

/** All is new, behind what is stored. */
export const behind = (stored: Stored[]): Alignment => ({
  newFrom: 0, previous: stored.at(-1)?.id ?? "", ids: new Map(),
});

/** Whether a history goes on where the stored messages end. */
export const goesOn = (alignment: Alignment | undefined, stored: Stored[]): alignment is Alignment =>
  alignment !== undefined && alignment.previous === stored.at(-1)?.id;

function runsOf(stored: Stored[], digests: string[]): Run[] {
  const runs: Run[] = [];
  let before: number[] = [];
  for (let place = 0; place < digests.length; place += 1) {
    const lengths: number[] = [];
    for (let at = 0; at < stored.length; at += 1) {
      if (stored[at]!.digest !== digests[place]) continue;
      lengths[at] = (before[at - 1] ?? 0) + 1;
      runs.push({ last: place, storedLast: at, length: lengths[at]! });
    }
    before = lengths;
  }
  return runs;
}

const longest = (runs: Run[]): Run | undefined =>
  runs.reduce<Run | undefined>((best, run) => (best && best.length >= run.length ? best : run), undefined);

/** Where the application went on the last. */
const farthest = (runs: Run[]): Run | undefined =>
  runs.toSorted((a, b) => b.last - a.last || b.length - a.length || b.storedLast - a.storedLast)[0];

const hash = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, DIGITS);

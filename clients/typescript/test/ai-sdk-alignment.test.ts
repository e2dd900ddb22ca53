import { expect, test } from "vitest";

import { align, behind, digestOf, idAfter, storedAs, type Stored } from "../src/ai-sdk-alignment.js";

/** A conversation as it is stored: a repeated id changes nothing. */
class Store {
  readonly messages: Stored[] = [];
  readonly words: string[] = [];

  /** What an application sends with a call, which knows of the newest `seen` stored messages alone. */
  send(history: string[], seen = 200): void {
    const newest = this.messages.slice(-seen);
    const digests = history.map((word) => digestOf(word));
    const alignment = align(newest, digests, newest.length === this.messages.length) ?? behind(newest);
    let { previous } = alignment;
    for (const [place, digest] of digests.entries()) {
      if (place < alignment.newFrom) continue;
      previous = idAfter(previous, digest);
      if (this.messages.some((message) => message.id === previous)) continue;
      this.messages.push({ id: previous, digest });
      this.words.push(history[place]!);
    }
  }

  /** What follows the newest stored message. */
  answer(word: string): void {
    const digest = digestOf(word);
    this.messages.push({ id: idAfter(this.messages.at(-1)!.id, digest), digest });
    this.words.push(word);
  }
}

const stored = (...calls: string[]): string => {
  const store = new Store();
  for (const call of calls) store.send(call.split(" ").filter(Boolean));
  return store.words.join(" ");
};

/** The same numbers for the same seed, from 0 to below `most`. */
function numbers(seed: number): (most: number) => number {
  let state = seed + 1;
  return (most) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

test.each([
  ["a whole history that grows", ["a", "a b c", "a b c d e"], "a b c d e"],
  ["a history that was cut off", ["a b c d e f", "e f g"], "a b c d e f g"],
  ["one message of it is left", ["a b c d", "d e"], "a b c d e"],
  ["a call that is repeated", ["a b c", "a b c", "c"], "a b c"],
  ["the same words again and again", ["y o y o", "y o y o y", "o y o"], "y o y o y o"],
  ["an answer that is made again among the same words", ["a y o y o", "a y o y"], "a y o y o"],
  ["a history that nothing stored is in", ["a b", "x y"], "a b x y"],
  ["the last answer is made again", ["a b c d", "a b c"], "a b c d"],
  ["an earlier question is asked in other words", ["a b c d", "a b e"], "a b c d e"],
  ["a fact that others stored between", ["a b", "fact", "a b c", "a b c d", "d e"], "a b fact c d e"],
])("%s", (_, calls, expected) => {
  expect(stored(...calls)).toBe(expected);
});

test("two processes give the same messages the same ids", () => {
  const [first, second] = [new Store(), new Store()];
  first.send(["a", "b", "c"]);
  second.send(["a"]);
  second.send(["a", "b", "c"]);
  expect(second.messages).toEqual(first.messages);
  expect(storedAs(`${first.messages[0]!.id}-call-1`)).toEqual(first.messages[0]);
  expect(storedAs("m-17")).toBeUndefined();
});

test("whatever is cut off, and however often the same is said, each message is stored once", () => {
  for (let seed = 0; seed < 400; seed += 1) {
    const random = numbers(seed);
    const words = 1 + random(4);
    const store = new Store();
    const history: string[] = [];
    for (let call = 0; call < 25; call += 1) {
      history.push(`question ${random(words)}`);
      // What is cut off leaves a message that is stored, the answer before the question. All but the newest stored
      // message would be a call to make that one again.
      const kept = 2 + random(6);
      store.send(random(2) || kept === store.words.length - 1 ? history : history.slice(-kept));
      if (random(6) === 0) store.send(history);
      history.push(`answer ${random(words)}`);
      store.answer(history.at(-1)!);
      expect(store.words, `seed ${seed}`).toEqual(history);
    }
  }
});

test("an answer that was not stored comes with a later call, where messages differ", () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const random = numbers(seed);
    const store = new Store();
    const history: string[] = [];
    for (let call = 0; call < 25; call += 1) {
      history.push(`question ${call}`);
      store.send(random(2) ? history : history.slice(-3 - random(6)), 4 + random(20));
      expect(store.words, `seed ${seed}`).toEqual(history);
      history.push(`answer ${call}`);
      if (random(2)) store.send(history);
    }
  }
});

import { expect, test } from "vitest";

import { turnsOf, type Message } from "../src/ai-sdk-messages.js";

const said = (...texts: string[]): Message[] =>
  texts.map((text, place) => ({ role: place % 2 ? "assistant" : "user", content: [{ type: "text", text }] }));

const ids = (messages: Message[]) => turnsOf(messages).map((turn) => turn.turn_id);

test("the same words again and again are as many turns", () => {
  const loop = said(...Array.from({ length: 12 }, (_, place) => (place % 2 ? "ok" : "next")));
  expect(new Set(ids(loop)).size).toBe(12);
  expect(ids(loop.slice(0, 8))).toEqual(ids(loop).slice(0, 8));
});

test("a message keeps its id as the history grows, and behind the first four of one that was cut off", () => {
  const whole = said("a", "b", "c", "d", "e", "f", "g", "h", "i", "j");
  expect(ids(whole.slice(0, 6))).toEqual(ids(whole).slice(0, 6));
  expect(ids(whole.slice(2)).slice(4)).toEqual(ids(whole).slice(6));
});

test("a text that comes in parts, or with spaces around it, is the same message", () => {
  const parts: Message[] = [{ role: "user", content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo " }] }];
  expect(ids(parts)).toEqual(ids(said("Hello")));
});

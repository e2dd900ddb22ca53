import { expect, test } from "vitest";

import { digestOf } from "../src/ai-sdk-alignment.js";
import { keyOf, spokenOf, turnsOf, type Message } from "../src/ai-sdk-messages.js";

const digest = (message: Message) => digestOf(keyOf(message));

test("a text that comes in parts, or with spaces around it, is the same message", () => {
  const parts: Message = { role: "user", content: [{ type: "text", text: "Hel" }, { type: "text", text: "lo " }] };
  const whole: Message = { role: "user", content: [{ type: "text", text: "Hello" }] };
  expect(digest(parts)).toBe(digest(whole));
  expect(digest({ ...whole, role: "assistant" })).not.toBe(digest(whole));
});

test("a message with the results of two tools is two turns, one that says nothing is none", () => {
  const result = (toolCallId: string) => ({
    type: "tool-result", toolCallId, toolName: "weather", output: { type: "text", value: "12 degrees" },
  });
  const results: Message = { role: "tool", content: [result("call-1"), result("call-2")] };
  expect(turnsOf(results, "ai-1").map((turn) => turn.turn_id)).toEqual(["ai-1-call-1", "ai-1-call-2"]);
  const empty: Message = { role: "assistant", content: [] };
  expect(spokenOf([{ role: "system", content: "Be kind." }, results, empty])).toEqual([results]);
});

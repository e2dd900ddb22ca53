import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";

import { withTurnfold } from "../src/ai-sdk.js";
import { Turnfold } from "../src/index.js";
import { apiKey, newConversation, turnfold } from "./gateway.js";

interface Asked {
  messages: Array<{ role: string; content: unknown; tool_calls?: unknown[] }>;
  stream?: boolean;
  tools?: unknown[];
}

let server: Server;
let asked: Asked[];

/** A server that speaks OpenAI's protocol: it calls a tool that it is given once, and repeats the newest question. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request) body += chunk;
  const call = JSON.parse(body) as Asked;
  asked.push(call);
  const newest = call.messages.at(-1)!;
  const callsTool = call.tools && newest.role === "user";
  const text = `You said: ${JSON.stringify(newest.content)}`;
  const message = callsTool
    ? { tool_calls: [{ index: 0, id: "call-1", type: "function", function: { name: "weather", arguments: "{}" } }] }
    : { content: text };
  const choice = { index: 0, finish_reason: callsTool ? "tool_calls" : "stop" };
  if (!call.stream) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "1", choices: [{ ...choice, message: { role: "assistant", ...message } }] }));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const piece of text.match(/.{1,5}/gs) ?? []) {
    const delta = { id: "1", choices: [{ index: 0, delta: { role: "assistant", content: piece }, finish_reason: null }] };
    response.write(`data: ${JSON.stringify(delta)}\n\n`);
  }
  response.end(`data: ${JSON.stringify({ id: "1", choices: [{ ...choice, delta: {} }] })}\n\ndata: [DONE]\n\n`);
}

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});

afterEach(() => void server.close());

const provider = () =>
  createOpenAICompatible({ name: "local", baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });

const remembering = (conversation: string, client = turnfold, onError?: (error: unknown) => void) =>
  withTurnfold(provider()("local-model"), { turnfold: client, conversation, budgetTokens: 600, onError });

async function stored(conversation: string, count: number): Promise<string[]> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const turns: string[] = [];
    try {
      for await (const turn of turnfold.turns(conversation)) turns.push(`${turn.role}: ${turn.content}`);
    } catch {
      // Nothing is stored yet.
    }
    if (turns.length >= count) return turns;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${count} turns were not stored within 15 seconds`);
}

test("a model is told what was said long before its prompt", async () => {
  const conversation = newConversation();
  await turnfold.append(conversation, { role: "user", content: "The launch is on 14 March, in Lisbon." });
  const { text } = await generateText({ model: remembering(conversation), prompt: "Where is the launch?" });
  expect(text).toContain("Where is the launch?");
  const words = JSON.stringify(asked[0]!.messages);
  expect(words).toContain("14 March, in Lisbon");
  expect(words.split("Where is the launch?").length).toBe(2);
  expect(await stored(conversation, 3)).toEqual([
    "user: The launch is on 14 March, in Lisbon.", "user: Where is the launch?", `assistant: ${text}`,
  ]);
});

test("a history that is given with each call is stored once, and streams pass through", async () => {
  const conversation = newConversation();
  const model = remembering(conversation);
  const messages: Array<{ role: "user" | "assistant"; content: string }> = [];
  for (const content of ["My name is Ana.", "yes", "yes"]) {
    messages.push({ role: "user", content });
    const stream = streamText({ model, system: "Be kind.", messages });
    messages.push({ role: "assistant", content: await stream.text });
  }
  expect(asked.every((call) => call.messages[0]!.content === "Be kind.")).toBe(true);
  expect(asked.at(-1)!.messages.filter((message) => message.content === "yes")).toHaveLength(1);
  const turns = await stored(conversation, 6);
  expect(turns).toEqual(messages.map((message) => `${message.role}: ${message.content}`));
  // Another process, which knows of none of them, adds none.
  await generateText({ model: remembering(conversation), messages: messages.slice(0, 5) });
  expect(await stored(conversation, 6)).toHaveLength(6);
});

test("of a history whose beginning is cut off each message is stored once, whatever process sends it", async () => {
  const conversation = newConversation();
  const messages: Array<{ role: "user" | "assistant"; content: string }> = [];
  await turnfold.append(conversation, [
    { role: "user", content: "The launch is in Lisbon." }, { role: "assistant", content: "Noted." },
  ]);
  messages.push({ role: "user", content: "The launch is in Lisbon." }, { role: "assistant", content: "Noted." });
  for (const content of ["My name is Ana.", "yes", "yes", "yes", "That is all."]) {
    messages.push({ role: "user", content });
    const { text } = await generateText({ model: remembering(conversation), messages: messages.slice(-3) });
    messages.push({ role: "assistant", content: text });
  }
  const turns = await stored(conversation, 12);
  expect(turns).toEqual(messages.map((message) => `${message.role}: ${message.content}`));
});

test("while tools are called the record stays as it is, and calls and results are stored", async () => {
  const conversation = newConversation();
  await turnfold.append(conversation, { role: "user", content: "I live in Porto." });
  const { text } = await generateText({
    model: remembering(conversation),
    prompt: "What is the weather?",
    tools: { weather: tool({ inputSchema: z.object({}), execute: async () => "12 degrees" }) },
    stopWhen: stepCountIs(3),
  });
  expect(text).toContain("12 degrees");
  expect(asked).toHaveLength(2);
  expect(asked[1]!.messages.slice(0, 2)).toEqual(asked[0]!.messages);
  const turns = await stored(conversation, 5);
  expect(turns.map((turn) => turn.split(":")[0])).toEqual(["user", "user", "assistant", "tool", "assistant"]);
  expect(turns[3]).toContain("12 degrees");
});

test("a gateway that is away costs the memory and not the answer", async () => {
  const errors: unknown[] = [];
  const away = new Turnfold({ baseUrl: "http://127.0.0.1:9", apiKey, retries: 0 });
  const model = remembering("c", away, (error) => errors.push(error));
  const { text } = await generateText({ model, prompt: "Are you there?" });
  expect(text).toContain("Are you there?");
  expect(asked[0]!.messages).toEqual([{ role: "user", content: "Are you there?" }]);
  expect(errors.length).toBeGreaterThan(0);
});

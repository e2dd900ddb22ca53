/** Messages of the AI SDK as turns of Turnfold. */
import { createHash } from "node:crypto";

import type { TurnInput } from "./turns.js";

export interface Part {
  type: string;
  text?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
  output?: unknown;
  [field: string]: unknown;
}

export interface Message {
  role: "system" | "user" | "assistant" | "tool";
  /** A text where the role is system, else parts. */
  content: any;
}

/** How many messages before one tell it from another of the same words. */
const WINDOW = 4;

/** From the newest user message on; the whole prompt where there is none. */
export function exchangeOf(prompt: Message[]): Message[] {
  const newest = prompt.findLastIndex((message) => message.role === "user");
  return newest < 0 ? prompt.filter((message) => message.role !== "system") : prompt.slice(newest);
}

/** What a message says in words. */
export function textOf(message: Message | undefined): string {
  if (message === undefined) return "";
  if (typeof message.content === "string") return message.content;
  return (message.content as Part[])
    .filter((part) => part.type === "text")
    .map((part) => part.text ?? "")
    .join("");
}

/**
 * The messages as turns in OpenAI's form. An id is made of a message, the four before it, and how often the same five
 * came before: it is the same in every call that has the whole history, also where the same words come again and again.
 * The first four of a history that was cut off get new ids. The system text is the application's with every call, and no
 * turn.
 */
export function turnsOf(messages: Message[]): TurnInput[] {
  const spoken = messages.filter((message) => message.role !== "system");
  const keys = spoken.map(keyOf);
  const times = new Map<string, number>();
  return spoken.flatMap((message, place) => {
    const window = JSON.stringify(keys.slice(Math.max(0, place - WINDOW), place + 1));
    const before = times.get(window) ?? 0;
    times.set(window, before + 1);
    const id = createHash("sha256").update(`${before} ${window}`);
    return asTurns(message, `ai-${id.digest("hex").slice(0, 32)}`);
  });
}

/** What tells a message from others: its words and its calls, without what a provider or a page adds to them. */
function keyOf(message: Message): unknown[] {
  const parts = Array.isArray(message.content) ? (message.content as Part[]) : [];
  const calls = parts.filter((part) => part.toolCallId !== undefined).map((part) => part.toolCallId);
  const files = parts.filter((part) => part.type === "file").length;
  return [message.role, textOf(message).trim(), calls, files];
}

function asTurns(message: Message, id: string): TurnInput[] {
  const parts = Array.isArray(message.content) ? (message.content as Part[]) : [];
  if (message.role === "tool") {
    return parts
      .filter((part) => part.type === "tool-result")
      .map((part) => ({
        role: "tool",
        turn_id: `${id}-${part.toolCallId}`,
        tool_call_id: part.toolCallId,
        name: part.toolName,
        content: wordsOf(part.output),
      }));
  }
  const calls = parts.filter((part) => part.type === "tool-call");
  const images = parts.filter((part) => part.type === "file").map(() => "[file]");
  const text = [textOf(message), ...images].filter(Boolean).join(" ");
  if (!text && !calls.length) return [];
  const turn: TurnInput = { role: message.role, turn_id: id, content: text || null };
  if (calls.length) {
    turn.tool_calls = calls.map((call) => ({
      id: call.toolCallId,
      type: "function",
      function: { name: call.toolName, arguments: argumentsOf(call.input) },
    }));
  }
  return [turn];
}

/** JSON, as which a model gives them in a stream and an application gives them parsed. */
function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

/** A tool's output: `{ type: "text" | "json" | "error-text" …, value }`. */
function wordsOf(output: unknown): string {
  const value = (output as { value?: unknown } | undefined)?.value ?? output;
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

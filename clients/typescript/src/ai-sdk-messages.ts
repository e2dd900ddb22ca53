/** Messages of the AI SDK as turns of Turnfold. */
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

/** Messages that are turns: the system text is the application's with every call, and an empty answer says nothing. */
export function spokenOf(messages: Message[]): Message[] {
  return messages.filter((message) => message.role !== "system" && turnsOf(message, "").length);
}

/** What tells a message from others: its words and its calls, without what a provider or a page adds to them. */
export function keyOf(message: Message): unknown[] {
  const parts = Array.isArray(message.content) ? (message.content as Part[]) : [];
  const calls = parts.filter((part) => part.toolCallId !== undefined).map((part) => part.toolCallId);
  const files = parts.filter((part) => part.type === "file").length;
  return [message.role, textOf(message).trim(), calls, files];
}

/** The turns of a message in OpenAI's form: one, or one for each result of a tool; none where it says nothing. */
export function turnsOf(message: Message, id: string): TurnInput[] {
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

/** The key of a stored turn that was appended otherwise, where it is words alone. */
export const keyOfWords = (role: string, content: string): unknown[] => [role, content.trim(), [], 0];

/** JSON, as which a model gives them in a stream and an application gives them parsed. */
function argumentsOf(input: unknown): string {
  return typeof input === "string" ? input : JSON.stringify(input ?? {});
}

/** A tool's output: `{ type: "text" | "json" | "error-text" …, value }`. */
function wordsOf(output: unknown): string {
  const value = (output as { value?: unknown } | undefined)?.value ?? output;
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

/**
 * Memory for models of the Vercel AI SDK: `withTurnfold(model, …)` is a model that remembers.
 *
 * The application goes on to give its whole history with each call. Each message is stored once; the model is given the
 * system text, the past as a context inside the budget, and the current exchange (from the newest user message on, with
 * its tool calls) as it is.
 */
import type { Turnfold } from "./client.js";
import { StoredHistory } from "./ai-sdk-history.js";
import { exchangeOf, spokenOf, textOf, type Message } from "./ai-sdk-messages.js";

export interface MemoryOptions {
  turnfold: Turnfold;
  /** The conversation that this model takes part in. */
  conversation: string;
  /** Tokens that the past may have. The system text and the current exchange come on top. */
  budgetTokens: number;
  /** The end user whose messages these are; by it they can be erased. */
  subject?: string;
  /**
   * Called when Turnfold does not answer; the model is then given the prompt as the application gave it, and what was
   * not stored is stored with the next call. Default: a warning on the console. Throw here to fail instead.
   */
  onError?: (error: unknown) => void;
}

interface CallOptions {
  prompt: Message[];
}

interface Remembered<C> {
  /** What the model is given. */
  call: C;
  /** Id of the newest message of the prompt, where it was stored. */
  last?: string;
}

interface Generated {
  content?: Array<{ type: string; text?: string; [field: string]: unknown }>;
}

interface StreamPart {
  type: string;
  delta?: string;
  toolCallId?: string;
  toolName?: string;
  input?: unknown;
}

/** What of a language model is used here; the same in all versions of its specification. */
interface Model {
  doGenerate(options: any): PromiseLike<any>;
  doStream(options: any): PromiseLike<any>;
}

/** The same model, which remembers a conversation. Give it to generateText, streamText or an agent. */
export function withTurnfold<M extends Model>(model: M, options: MemoryOptions): M {
  const memory = new Memory(options);
  const remembering: Model = {
    async doGenerate(call: CallOptions) {
      const remembered = await memory.before(call);
      const generated: Generated = await model.doGenerate(remembered.call);
      await memory.after(call.prompt, { role: "assistant", content: generated.content ?? [] }, remembered.last);
      return generated;
    },
    async doStream(call: CallOptions) {
      const remembered = await memory.before(call);
      const streamed: { stream: ReadableStream<StreamPart> } = await model.doStream(remembered.call);
      const answer = new Answer();
      const stream = streamed.stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            answer.add(part);
            controller.enqueue(part);
          },
          // Not where the reader went away: half an answer is no turn.
          flush: () => memory.after(call.prompt, answer.message(), remembered.last),
        }),
      );
      return { ...streamed, stream };
    },
  };
  return new Proxy(model, {
    get: (target, name) => {
      if (name === "doGenerate" || name === "doStream") return remembering[name];
      const member = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

class Memory {
  readonly #options: MemoryOptions;
  readonly #history: StoredHistory;
  /** Of the newest exchange: while tools are called the record stays as it is, and so does what providers cached. */
  #past?: { exchange: string; text: string };

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#history = new StoredHistory(options.turnfold, options.conversation);
  }

  /** The call with the past in the place of what came before the current exchange. */
  async before<C extends CallOptions>(call: C): Promise<Remembered<C>> {
    const { turnfold, conversation, budgetTokens, subject } = this.#options;
    const exchange = exchangeOf(call.prompt);
    try {
      const placed = await this.#history.place(call.prompt);
      const begun = spokenOf(call.prompt.slice(0, call.prompt.length - exchange.length)).length;
      const id = placed[begun]?.id ?? "";
      if (this.#past?.exchange !== id) {
        await this.#history.append(placed.slice(0, begun), subject);
        const query = textOf(exchange[0]) || false;
        // Before the exchange is stored: it stands in the prompt as it is, and must not stand there twice.
        const past = await turnfold.context(conversation, { budget_tokens: budgetTokens, query, form: "text" });
        this.#past = { exchange: id, text: past.text ?? "" };
      }
      const { text } = this.#past;
      await this.#history.append(placed.slice(begun), subject);
      const system = call.prompt.filter((message) => message.role === "system");
      const record: Message[] = text ? [{ role: "user", content: [{ type: "text", text }] }] : [];
      return { call: { ...call, prompt: [...system, ...record, ...exchange] }, last: placed.at(-1)?.id };
    } catch (error) {
      this.#fail(error);
      return { call };
    }
  }

  /** Store the model's answer behind the message with the id `last`; without one the whole prompt is stored first. */
  async after(prompt: Message[], answer: Message, last?: string): Promise<void> {
    if (!answer.content.length) return;
    try {
      const placed = last ? this.#history.next(last, answer) : await this.#history.place([...prompt, answer]);
      await this.#history.append(placed, this.#options.subject);
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#options.onError) this.#options.onError(error);
    else console.warn(`Turnfold: ${(error as Error).message ?? error}`);
  }
}

/** The parts of a stream, put together to a message. */
class Answer {
  #text = "";
  readonly #calls: Message["content"] = [];

  add(part: StreamPart): void {
    if (part.type === "text-delta") this.#text += part.delta ?? "";
    if (part.type === "tool-call") this.#calls.push({ ...part });
  }

  message(): Message {
    const text = this.#text ? [{ type: "text", text: this.#text }] : [];
    return { role: "assistant", content: [...text, ...this.#calls] };
  }
}

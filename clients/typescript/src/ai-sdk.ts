/**
 * Memory for models of the Vercel AI SDK: `withTurnfold(model, …)` is a model that remembers.
 *
 * The application goes on to give its whole history with each call. Each message is stored once; the model is given the
 * system text, the past as a context inside the budget, and the current exchange (from the newest user message on, with
 * its tool calls) as it is.
 */
import type { Turnfold } from "./client.js";
import { exchangeOf, textOf, turnsOf, type Message } from "./ai-sdk-messages.js";
import { KnownTurns } from "./ai-sdk-turns.js";
import type { TurnInput } from "./turns.js";

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
      const generated: Generated = await model.doGenerate(await memory.before(call));
      await memory.after(call.prompt, { role: "assistant", content: generated.content ?? [] });
      return generated;
    },
    async doStream(call: CallOptions) {
      const streamed: { stream: ReadableStream<StreamPart> } = await model.doStream(await memory.before(call));
      const answer = new Answer();
      const stream = streamed.stream.pipeThrough(
        new TransformStream<StreamPart, StreamPart>({
          transform(part, controller) {
            answer.add(part);
            controller.enqueue(part);
          },
          // Not where the reader went away: half an answer is no turn.
          flush: () => memory.after(call.prompt, answer.message()),
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
  readonly #known = new KnownTurns();
  /** Of the newest exchange: while tools are called the record stays as it is, and so does what providers cached. */
  #past?: { exchange: string; text: string };

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  /** The call with the past in the place of what came before the current exchange. */
  async before<C extends CallOptions>(call: C): Promise<C> {
    const { turnfold, conversation, budgetTokens } = this.#options;
    const exchange = exchangeOf(call.prompt);
    try {
      const turns = turnsOf(call.prompt);
      const begun = turnsOf(call.prompt.slice(0, call.prompt.length - exchange.length)).length;
      const id = turns[begun]?.turn_id ?? "";
      if (this.#past?.exchange !== id) {
        await this.#store(turns.slice(0, begun));
        const query = textOf(exchange[0]) || false;
        // Before the exchange is stored: it stands in the prompt as it is, and must not stand there twice.
        const past = await turnfold.context(conversation, { budget_tokens: budgetTokens, query, form: "text" });
        this.#past = { exchange: id, text: past.text ?? "" };
      }
      const { text } = this.#past;
      await this.#store(turns);
      const system = call.prompt.filter((message) => message.role === "system");
      const record: Message[] = text ? [{ role: "user", content: [{ type: "text", text }] }] : [];
      return { ...call, prompt: [...system, ...record, ...exchange] };
    } catch (error) {
      this.#fail(error);
      return call;
    }
  }

  /** Store the model's answer. */
  async after(prompt: Message[], answer: Message): Promise<void> {
    if (!answer.content.length) return;
    try {
      await this.#store(turnsOf([...prompt, answer]));
    } catch (error) {
      this.#fail(error);
    }
  }

  async #store(turns: TurnInput[]): Promise<void> {
    const { turnfold, conversation, subject } = this.#options;
    const fresh = this.#known.unknown(turns);
    if (!fresh.length) return;
    await turnfold.append(conversation, fresh, { subject });
    this.#known.add(fresh);
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

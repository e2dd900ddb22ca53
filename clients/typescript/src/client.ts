import type {
  Anchor,
  ConfigureBody,
  ContextBody,
  ContextDocument,
  ErasureReceipt,
  ExpansionDocument,
  Hit,
  ListedConversation,
  Note,
  Receipt,
  Status,
  SubjectReceipt,
  TimelineEntry,
  TurnDocument,
} from "./api.js";
import { Http, pathOf, type TurnfoldOptions } from "./http.js";
import { withIds, type TurnInput } from "./turns.js";

/** What a context is asked for with; `budget_tokens` alone is needed. */
export type ContextRequest = Pick<ContextBody, "budget_tokens"> & Partial<ContextBody>;

export interface AppendOptions {
  /** "backfill": said long ago, folded when nothing else is due. */
  priority?: "live" | "backfill";
  /** The end user whose turns these are; by it they can be erased. */
  subject?: string;
  /** Resolve when a replica of Redis has the turns too; where none confirms it in time, the append is repeated. */
  durable?: boolean;
  signal?: AbortSignal;
}

interface Cancellable {
  signal?: AbortSignal;
}

export interface ForgetOptions extends Cancellable {
  /**
   * How long the gateway waits until the rows are deleted, at most 60. Default: four fifths of the client's `timeoutMs`,
   * which a longer wait prolongs. Where it ends first, the receipt has `completed: false`.
   */
  timeout_seconds?: number;
}

/** Part of the client's deadline for which the gateway may wait, so that its answer still arrives. */
const WAITED_PART = 0.8;

/**
 * Conversations of one tenant. Every method may be called at once from anywhere, and throws `TurnfoldError` with the
 * gateway's words where it refuses, `TurnfoldUnreachable` where no answer came.
 *
 * @example
 * const turnfold = new Turnfold({ baseUrl: "http://127.0.0.1:8321", apiKey: process.env.TURNFOLD_KEY! });
 * await turnfold.append("conv-1", { role: "user", content: "We must use PostgreSQL." });
 * const { messages } = await turnfold.context("conv-1", { budget_tokens: 2000, form: "openai" });
 */
export class Turnfold {
  readonly #http: Http;

  constructor(options: TurnfoldOptions) {
    this.#http = new Http(options);
  }

  /** Store finished turns, in order. A repeat with the same `turn_id` changes nothing, so a failed append is repeated. */
  async append(conversation: string, turns: TurnInput | TurnInput[], options: AppendOptions = {}): Promise<Receipt> {
    const { signal, ...rest } = options;
    const body = { turns: withIds(Array.isArray(turns) ? turns : [turns]), ...rest };
    return this.#http.request("POST", `${at(conversation)}/turns`, { body, signal });
  }

  /** What to put before the model, never above `budget_tokens`. Append the message to be answered first. */
  async context(conversation: string, request: ContextRequest, options: Cancellable = {}): Promise<ContextDocument> {
    return this.#http.request("POST", `${at(conversation)}/context`, { body: request, ...options });
  }

  /** More of what a marker of a context stands for: "L1:auth-options-17", "L0:turn-17". */
  async expand(conversation: string, marker: string, options: { max_tokens?: number } & Cancellable = {}) {
    const { signal, ...query } = options;
    const path = `${at(conversation)}/expand${pathOf(marker.replace(/^\[?→?|\]$/g, ""))}`;
    return this.#http.request<ExpansionDocument>("GET", path, { query, signal });
  }

  /** Segments and turns that a query meets, best first. */
  async search(
    conversation: string,
    query: string,
    options: { limit?: number; origins?: string[]; speakers?: string[]; now?: string | Date } & Cancellable = {},
  ): Promise<Hit[]> {
    const { signal, ...rest } = options;
    const path = `${at(conversation)}/search`;
    return (await this.#http.request<{ hits: Hit[] }>("GET", path, { query: { query, ...rest }, signal })).hits;
  }

  /** Decisions, commitments, open questions, facts … word for word; the next page: `cursor` is the last turn and one. */
  async anchors(
    conversation: string,
    options: {
      types?: string[]; states?: string[]; as_of?: string | Date; cursor?: string; limit?: number;
    } & Cancellable = {},
  ): Promise<Anchor[]> {
    const { signal, ...query } = options;
    return (await this.#http.request<{ anchors: Anchor[] }>("GET", `${at(conversation)}/anchors`, { query, signal }))
      .anchors;
  }

  /**
   * First mentions in order, with days: the `limit` best. With `after`, a page of the 500 best, those after a turn: pass
   * 0, then the `turn_seq` of the last entry, until a page is empty.
   */
  async timeline(
    conversation: string,
    options: { query?: string; after?: number; limit?: number; now?: string | Date } & Cancellable = {},
  ): Promise<TimelineEntry[]> {
    const { signal, after, ...rest } = options;
    const path = `${at(conversation)}/timeline`;
    const query = { ...rest, cursor: after };
    return (await this.#http.request<{ entries: TimelineEntry[] }>("GET", path, { query, signal })).entries;
  }

  /** What waits, what is stored, folded and refined. */
  async status(conversation: string, options: Cancellable = {}): Promise<Status> {
    return this.#http.request("GET", `${at(conversation)}/status`, options);
  }

  /** Set a conversation's title, goal, constraints or settings. */
  async configure(conversation: string, request: Partial<ConfigureBody>, options: Cancellable = {}): Promise<void> {
    await this.#http.request("PATCH", at(conversation), { body: request, ...options });
  }

  /** Replace the content of a turn. */
  async edit(conversation: string, turn: string, content: unknown, options: Cancellable = {}): Promise<void> {
    await this.#http.request("PATCH", `${at(conversation)}/turns${pathOf(turn)}`, { body: { content }, ...options });
  }

  /** Take a turn out of the conversation, and out of everything that was made of it. */
  async delete(conversation: string, turn: string, options: Cancellable = {}): Promise<void> {
    await this.#http.request("DELETE", `${at(conversation)}/turns${pathOf(turn)}`, options);
  }

  /** Delete every turn behind this one. */
  async rewind(conversation: string, after: string, options: Cancellable = {}): Promise<void> {
    await this.#http.request("POST", `${at(conversation)}/rewind`, { body: { after }, ...options });
  }

  /** Erase a conversation. Nothing of it is readable any more, even where the receipt is not `completed` yet. */
  async forget(conversation: string, options: ForgetOptions = {}): Promise<ErasureReceipt> {
    return this.#erase(at(conversation), options);
  }

  /** Erase all turns of an end user, in all conversations. */
  async forgetSubject(subject: string, options: ForgetOptions = {}): Promise<SubjectReceipt> {
    return this.#erase(`/v1/subjects${pathOf(subject)}`, options);
  }

  async #erase<T>(path: string, { signal, timeout_seconds }: ForgetOptions): Promise<T> {
    const seconds = timeout_seconds ?? (this.#http.timeoutMs * WAITED_PART) / 1_000;
    const timeoutMs = Math.max(this.#http.timeoutMs, Math.ceil((seconds * 1_000) / WAITED_PART));
    return this.#http.request("DELETE", path, { query: { timeout_seconds: seconds }, timeoutMs, signal });
  }

  /** Stored turns, oldest first, read page by page as they are taken. */
  turns(
    conversation: string,
    options: { after?: number; limit?: number } & Cancellable = {},
  ): AsyncGenerator<TurnDocument> {
    const { after, ...rest } = options;
    return this.#pages<TurnDocument>(`${at(conversation)}/turns`, "turns", rest, after ? String(after) : null);
  }

  /** Notes of a conversation, read page by page as they are taken. */
  notes(
    conversation: string,
    options: {
      states?: string[]; origins?: string[]; speakers?: string[]; min_importance?: number; limit?: number;
    } & Cancellable = {},
  ): AsyncGenerator<Note> {
    return this.#pages<Note>(`${at(conversation)}/notes`, "notes", options);
  }

  /** Conversations of the tenant by name, read page by page as they are taken. */
  conversations(options: { containing?: string; limit?: number } & Cancellable = {}): AsyncGenerator<ListedConversation> {
    return this.#pages<ListedConversation>("/v1/conversations", "conversations", options);
  }

  async *#pages<T>(
    path: string, member: string, options: object & Cancellable, begin: string | null = null,
  ): AsyncGenerator<T> {
    const { signal, ...query } = options;
    let cursor = begin;
    do {
      const page: Record<string, unknown> & { next_cursor: string | null } = await this.#http.request("GET", path, {
        query: { ...query, cursor },
        signal,
      });
      yield* page[member] as T[];
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
}

function at(conversation: string): string {
  return `/v1/conversations${pathOf(conversation)}`;
}

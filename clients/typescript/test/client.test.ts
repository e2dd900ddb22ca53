import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";

import { afterEach, describe, expect, test } from "vitest";

import { Turnfold, TurnfoldError, TurnfoldUnreachable } from "../src/index.js";
import { apiKey, baseUrl, newConversation, turnfold } from "./gateway.js";

const TALK = [
  { role: "user", content: "We must use PostgreSQL, no exceptions.", turn_id: "t-1" },
  { role: "assistant", content: "Understood: PostgreSQL it is.", turn_id: "t-2" },
  { role: "user", content: "Our budget is 2,400 euros a month.", turn_id: "t-3" },
  { role: "assistant", content: "I will keep to 2,400 euros a month.", turn_id: "t-4" },
];

async function takeAll<T>(pages: AsyncGenerator<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const each of pages) all.push(each);
  return all;
}

/** Until `condition` gives something: workers store and fold in the background. */
async function until<T>(condition: () => Promise<T | undefined | false>): Promise<T> {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const met = await condition();
    if (met) return met;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("it did not happen within 15 seconds");
}

describe("against a real gateway", () => {
  test("a conversation is appended, read, searched, expanded, edited and forgotten", async () => {
    const conversation = newConversation();
    expect(await turnfold.append(conversation, TALK)).toEqual({ turn_ids: ["t-1", "t-2", "t-3", "t-4"] });
    await turnfold.append(conversation, TALK[0]!);
    await turnfold.append(conversation, { ...TALK[0]!, importance: "medium" });

    const context = await turnfold.context(conversation, { budget_tokens: 1000, query: "Which database?" });
    expect(context.text).toContain("We must use PostgreSQL");
    expect(context.tokens).toBeLessThanOrEqual(1000);
    const forModel = await turnfold.context(conversation, { budget_tokens: 1000, form: "openai", system: "Be kind." });
    expect(forModel.messages![0]).toEqual({ role: "system", content: expect.stringContaining("Be kind.") });

    await until(async () => (await turnfold.status(conversation)).stored === 4);
    expect((await takeAll(turnfold.turns(conversation, { limit: 3 }))).map((turn) => turn.turn_id)).toEqual([
      "t-1", "t-2", "t-3", "t-4",
    ]);
    const [hit] = await turnfold.search(conversation, "budget of euros");
    expect(hit!.snippet).toContain("2,400");
    expect((await turnfold.expand(conversation, "[→L0:turn-3]")).text).toContain("2,400 euros");

    await turnfold.edit(conversation, "t-3", "Our budget is 3,500 euros a month.");
    await until(async () => (await turnfold.expand(conversation, "L0:turn-3")).text.includes("3,500"));
    await turnfold.rewind(conversation, "t-2");
    await until(async () => (await takeAll(turnfold.turns(conversation))).length === 2);

    const listed = await takeAll(turnfold.conversations({ containing: conversation }));
    expect(listed.map((each) => each.conversation_id)).toEqual([conversation]);
    expect((await turnfold.forget(conversation)).conversation_id).toBe(conversation);
    expect((await turnfold.context(conversation, { budget_tokens: 500 })).text ?? "").not.toContain("PostgreSQL");
  });

  test("anchors and the timeline tell what was decided", async () => {
    const conversation = newConversation();
    await turnfold.append(conversation, TALK);
    const anchors = await until(async () => {
      const listed = await turnfold.anchors(conversation).catch(() => []);
      return listed.length > 0 && listed;
    });
    expect(anchors.map((anchor) => anchor.text).join(" ")).toContain("PostgreSQL");
    const entries = await turnfold.timeline(conversation);
    expect(entries.map((entry) => entry.turn_id)).toEqual(["t-1", "t-2", "t-3", "t-4"]);
    const begun = await turnfold.timeline(conversation, { after: 0, limit: 3 });
    const continued = await turnfold.timeline(conversation, { after: begun.at(-1)!.turn_seq, limit: 3 });
    expect([...begun, ...continued]).toEqual(entries);
    expect(await turnfold.timeline(conversation, { after: entries.at(-1)!.turn_seq })).toEqual([]);
    // Notes are written when a segment closes: here none has.
    expect(await takeAll(turnfold.notes(conversation))).toEqual([]);
    expect(await takeAll(turnfold.notes(conversation, { min_importance: 0 }))).toEqual([]);
  });

  test("errors carry the gateway's words, the remedy and what helps", async () => {
    const conversation = newConversation();
    await turnfold.append(conversation, TALK);
    const tooSmall = await turnfold
      .context(conversation, { budget_tokens: 1, system: "A long system text that needs room." })
      .catch((error: unknown) => error as TurnfoldError);
    expect(tooSmall).toBeInstanceOf(TurnfoldError);
    expect(tooSmall).toMatchObject({ status: 422, kind: "invalid-budget" });
    expect((tooSmall as TurnfoldError).problem.needed_tokens).toBeGreaterThan(1);
    await expect(turnfold.expand(conversation, "L1:nope-3")).rejects.toMatchObject({ status: 404 });
    await expect(turnfold.append(conversation, { role: "user", content: 3 })).rejects.toMatchObject({ status: 422 });
    const stranger = new Turnfold({ baseUrl, apiKey: "wrong" });
    await expect(stranger.status(conversation)).rejects.toMatchObject({ status: 401 });
  });

  test("both builds load and have the same names", async () => {
    const required = createRequire(import.meta.url)("turnfold") as object;
    const imported = (await import("turnfold")) as object;
    expect(Object.keys(required).sort()).toEqual(Object.keys(imported).sort());
    expect(new (required as { Turnfold: typeof Turnfold }).Turnfold({ baseUrl, apiKey })).toBeDefined();
  });
});

describe("against servers that fail", () => {
  let server: Server | undefined;

  afterEach(() => void server?.close());

  async function serving(answers: Array<{ status: number; body?: string; headers?: Record<string, string> } | "hang">) {
    const bodies: string[] = [];
    const paths: string[] = [];
    server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      bodies.push(body);
      paths.push(request.url ?? "");
      const answer = answers[Math.min(bodies.length, answers.length) - 1]!;
      if (answer === "hang") return;
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    await new Promise<void>((resolve) => server!.listen(0, "127.0.0.1", resolve));
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, paths };
  }

  test("a repeat carries the same ids", async () => {
    const { url, bodies } = await serving([{ status: 503 }, { status: 202, body: '{"turn_ids": ["x"]}' }]);
    await new Turnfold({ baseUrl: url, apiKey }).append("c", { role: "user", content: "Hello" });
    expect(bodies).toHaveLength(2);
    expect(bodies[0]).toContain("turn_id");
    expect(bodies[1]).toBe(bodies[0]);
  });

  test("what a repeat does not help is not repeated", async () => {
    const { url, bodies } = await serving([{ status: 429, headers: { "retry-after": "40000" }, body: "over quota" }]);
    const refused = new Turnfold({ baseUrl: url, apiKey }).append("c", { role: "user", content: "Hello" });
    await expect(refused).rejects.toMatchObject({ status: 429, retryAfterSeconds: 40000 });
    await expect(refused).rejects.toThrow("over quota");
    expect(bodies).toHaveLength(1);
  });

  test("a server that hangs is given up, and so is a request that is aborted", async () => {
    const { url } = await serving(["hang"]);
    const hasty = new Turnfold({ baseUrl: url, apiKey, timeoutMs: 50, retries: 0 });
    await expect(hasty.status("c")).rejects.toThrow(TurnfoldUnreachable);
    await expect(hasty.status("c")).rejects.toThrow("no answer within 50 ms");
    const aborted = new Turnfold({ baseUrl: url, apiKey }).status("c", { signal: AbortSignal.timeout(50) });
    await expect(aborted).rejects.toMatchObject({ name: "TimeoutError" });
  });

  test.each([
    [{}, 10_000, 8],
    [{ timeout_seconds: 3 }, 10_000, 3],
    [{ timeout_seconds: 0 }, 10_000, 0],
    [{}, 500, 0.4],
  ])("the gateway waits for an erasure (%j, %j ms) shorter than the client does", async (options, timeoutMs, seconds) => {
    const { url, paths } = await serving([{ status: 202, body: '{"completed": false}' }]);
    const client = new Turnfold({ baseUrl: url, apiKey, timeoutMs });
    expect(await client.forget("c", options)).toEqual({ completed: false });
    expect(await client.forgetSubject("ana", options)).toEqual({ completed: false });
    expect(paths).toEqual([
      `/v1/conversations/c?timeout_seconds=${seconds}`, `/v1/subjects/ana?timeout_seconds=${seconds}`,
    ]);
  });

  test("a longer wait for an erasure prolongs the deadline, of that request alone", async () => {
    const { url } = await serving(["hang"]);
    const client = new Turnfold({ baseUrl: url, apiKey, timeoutMs: 50, retries: 0 });
    await expect(client.forget("c", { timeout_seconds: 0.4 })).rejects.toThrow("no answer within 500 ms");
    await expect(client.status("c")).rejects.toThrow("no answer within 50 ms");
  });

  test.each(["", ".", ".."])("the id %j, which would lead to another path, is never sent", async (id) => {
    await expect(turnfold.delete("c", id)).rejects.toThrow("is no id");
    await expect(turnfold.status(id)).rejects.toThrow("is no id");
  });

  test("a redirect is not followed, for it would carry the key away", async () => {
    const { url, bodies } = await serving([{ status: 302, headers: { location: "/elsewhere" } }]);
    const client = new Turnfold({ baseUrl: url, apiKey, retries: 0 });
    await expect(client.status("c")).rejects.toThrow(TurnfoldUnreachable);
    expect(bodies).toHaveLength(1);
  });

  test("what is no gateway is told from one", async () => {
    const { url } = await serving([{ status: 200, body: "<html>Welcome</html>" }]);
    await expect(new Turnfold({ baseUrl: url, apiKey, retries: 0 }).status("c")).rejects.toThrow("is no gateway");
  });

  test.each([
    [{ baseUrl: "localhost:1", apiKey: "k" }, "baseUrl must begin with"],
    [{ baseUrl: "http://localhost:1", apiKey: "" }, "turnfold keys create"],
  ])("settings that cannot work are refused at once", (options, message) => {
    expect(() => new Turnfold(options)).toThrow(message);
  });
});

import { randomUUID } from "node:crypto";

import { Turnfold } from "../src/index.js";

/** The gateway that the tests are given: TURNFOLD_GATEWAY_URL, and TURNFOLD_GATEWAY_KEY with the scope admin. */
export const baseUrl = needed("TURNFOLD_GATEWAY_URL");
export const apiKey = needed("TURNFOLD_GATEWAY_KEY");

function needed(name: string): string {
  const given = process.env[name];
  if (!given) throw new Error(`${name} is not set: start \`turnfold serve\`, and make a key with --scope admin`);
  return given;
}

export const turnfold = new Turnfold({ baseUrl, apiKey });

export const newConversation = () => `typescript/${randomUUID()} é`;

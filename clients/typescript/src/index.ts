/**
 * Client of the Turnfold gateway: conversations of any length, as a context inside any token budget.
 *
 * client      Turnfold, one method for each verb
 * http        requests: retries, deadlines, problems as errors
 * errors      TurnfoldError and what it tells
 * turns       turns with ids, so that a repeat is no second turn
 * api         types of the wire, made from the gateway's OpenAPI document
 */
export { Turnfold, type ContextRequest, type AppendOptions, type ForgetOptions } from "./client.js";
export { TurnfoldError, TurnfoldUnreachable } from "./errors.js";
export { type TurnfoldOptions } from "./http.js";
export { type TurnInput } from "./turns.js";
export type {
  Anchor,
  ContextDocument,
  ConversationPage,
  ErasureReceipt,
  ExpansionDocument,
  Hit,
  ListedConversation,
  Note,
  Problem,
  Receipt,
  Report,
  Status,
  TimelineEntry,
  TurnDocument,
} from "./api.js";

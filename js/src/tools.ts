import type { PageOptions, WriteOptions } from "./options.js";
import type { Page } from "./types.js";

/** A JSON Schema, draft 2020-12. */
export interface JSONSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/** A type without the marks of a literal that was given `as const`. */
type Plain<T> = { -readonly [K in keyof T]: T[K] };

type RequiredOf<S> = S extends { readonly required: readonly (infer Name)[] } ? Name : never;

type FromProperties<S, P> = Plain<
  { [K in keyof P as K extends RequiredOf<S> ? K : never]: FromSchema<P[K]> } &
  { [K in keyof P as K extends RequiredOf<S> ? never : K]?: FromSchema<P[K]> }
>;

type FromType<S, T> =
  T extends "string" ? string :
  T extends "number" | "integer" ? number :
  T extends "boolean" ? boolean :
  T extends "null" ? null :
  T extends "array" ? S extends { readonly items: infer Items } ? FromSchema<Items>[] : unknown[] :
  T extends "object" ? S extends { readonly properties: infer P } ? FromProperties<S, P> : Record<string, unknown> :
  unknown;

/**
 * The type of values that fit a {@link JSONSchema}. Write the schema where it is used, or `as const`. The type reads
 * `type`, `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf`; what it cannot
 * tell is `unknown`.
 */
export type FromSchema<S> =
  S extends { readonly const: infer Value } ? Value :
  S extends { readonly enum: readonly (infer Value)[] } ? Value :
  S extends { readonly anyOf: readonly (infer Any)[] } ? FromSchema<Any> :
  S extends { readonly oneOf: readonly (infer One)[] } ? FromSchema<One> :
  S extends { readonly type: readonly (infer Type)[] } ? FromType<S, Type> :
  S extends { readonly type: infer Type } ? FromType<S, Type> :
  unknown;

/** Who must agree before a call is carried out: nobody, the chat's user, or an administrator. */
export type ToolApproval = "never" | "user" | "admin";

/** What `run` gets beside the arguments. */
export interface ToolContext {
  /** The call's id, the same in each attempt. */
  callId: string;
  /**
   * Aborted when nobody waits for the result any more: after 10 minutes at the latest, or when
   * the ChatSDK is closed. The end of the answer, or of its reading, does not abort it.
   */
  signal: AbortSignal;
}

/** A tool that the page offers with each message, and carries out itself. */
export interface Tool<S = JSONSchema> {
  /** What it does, in words for the model and for who approves. */
  description: string;
  /** What it takes: a JSON Schema (draft 2020-12) with `type: "object"`. */
  parameters: S;
  /** Who must agree before it is carried out. Default: `"user"`. */
  approval?: ToolApproval | undefined;
  /** Whether running it twice does no harm. If it is true, a call that was lost is tried again, three times in all. Default: false. */
  idempotent?: boolean | undefined;
  /**
   * Milliseconds after which the service takes a call as lost when it has not heard of this
   * page, which tells it three times in that time: 1,000 to 3,600,000. Of a tool that the operator
   * declares, the operator's counts. Default: 180,000.
   */
  timeout?: number | undefined;
  /**
   * Carries a call out, once. It gets the arguments that were approved. The result is sent to
   * the model: a string as it is, anything else as JSON, at most 256 KiB of it. If it throws, the model
   * gets the error's message as the call's error.
   */
  run(args: FromSchema<S>, context: ToolContext): unknown;
}

/** Tools by name: 1 to 64 of the characters `a-z A-Z 0-9 _ -` each. `S` are their schemas. */
export type Tools<S = Record<string, JSONSchema>> = { readonly [Name in keyof S]: Tool<S[Name]> };

/** The states of a call: it waits, may be carried out, is carried out; the others are final. */
export type ToolCallStatus = "awaiting" | "approved" | "running" | "done" | "failed" | "unknown" | "denied" | "expired";

/** A call of a tool that an agent makes in an answer. Times are seconds since the Unix epoch. */
export interface ToolCall {
  id: string;
  agent_id: string;
  chat_id: string;
  /** The answer. */
  message_id: string;
  stream_id: string;
  /** Where the call stands in the answer's text, in UTF-16 units. */
  at: number;
  /** As the tool has it. */
  name: string;
  /** Who carries it out: an address of the operator's, an MCP server, the page. */
  kind: "http" | "mcp" | "page";
  /** The SHA-256 of the tool's definition, in hex. */
  tool: string;
  approval: ToolApproval;
  /** As the tool has it. */
  description?: string;
  /** A JSON object, as text: what is shown and approved is what is carried out. */
  arguments: string;
  status: ToolCallStatus;
  requested_at: number;
  /** When it expires, unless it is decided or begun before. */
  expires_at?: number;
  decided_at?: number;
  /** The user who decided; absent if an API key did, or nobody. */
  decided_by?: string;
  /** What was said with the decision; `"stopped"` or `"client"` if nobody decided. */
  reason?: string;
  /** Whether the person who approved changed the arguments. */
  edited?: boolean;
  finished_at?: number;
  /** What the tool gave: the whole of it in `getToolCall`, else its first 4 KiB. It is data, and untrusted. */
  result?: string;
  /** The length of the whole result in bytes. */
  result_size?: number;
  /** Whether `result` is only a part of what the tool gave. */
  truncated?: boolean;
  /** What failed. */
  error?: string;
}

/** Calls, newest first. */
export interface ListToolCallsResponse extends Page {
  tool_calls: ToolCall[];
}

/** The answer to a decision. */
export interface ToolCallResponse {
  /** As it is now. */
  call: ToolCall;
}

/** Options of `listToolCalls`. */
export interface ListToolCallsOptions extends PageOptions {
  /** Default: every status. */
  status?: ToolCallStatus | undefined;
  /** Default: every chat. */
  chatId?: string | undefined;
  /** The answer. Default: every answer. */
  messageId?: string | undefined;
}

/** Options of `approveToolCall`. */
export interface ApproveToolCallOptions extends WriteOptions {
  /** Arguments to use in place of the model's: an object, or the JSON text of one. Default: the model's. */
  arguments?: Record<string, unknown> | string | undefined;
  /** Told to the model, 1,000 characters at most. */
  reason?: string | undefined;
}

import type { PageOptions, WriteOptions } from "./options.js";
import type { Page } from "./types.js";

/** A JSON Schema, draft 2020-12. */
export interface JSONSchema {
  readonly type?: string | readonly string[];
  readonly [keyword: string]: unknown;
}

/** A type without the `readonly` marks that `as const` leaves. */
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
 * The type of the values that fit a {@link JSONSchema}. Write the schema in place, or with `as const`. The type reads
 * `type`, `properties`, `required`, `items`, `enum`, `const`, `anyOf` and `oneOf`; for anything else it is `unknown`.
 */
export type FromSchema<S> =
  S extends { readonly const: infer Value } ? Value :
  S extends { readonly enum: readonly (infer Value)[] } ? Value :
  S extends { readonly anyOf: readonly (infer Any)[] } ? FromSchema<Any> :
  S extends { readonly oneOf: readonly (infer One)[] } ? FromSchema<One> :
  S extends { readonly type: readonly (infer Type)[] } ? FromType<S, Type> :
  S extends { readonly type: infer Type } ? FromType<S, Type> :
  unknown;

/** Who must approve a call before it is carried out: nobody, the chat's user, or an administrator. */
export type ToolApproval = "never" | "user" | "admin";

/** What `run` gets besides the arguments. */
export interface ToolContext {
  /** The call's id, the same in each attempt. */
  callId: string;
  /**
   * Aborted when nobody waits for the result any more: after 10 minutes at the latest, or when
   * the ChatSDK is closed. It is not aborted when the answer ends or is no longer read.
   */
  signal: AbortSignal;
}

/** A tool that the page offers with each message, and whose calls the page carries out. */
export interface Tool<S = JSONSchema> {
  /** What the tool does, for the model and for the people who approve its calls. */
  description: string;
  /** The arguments: a JSON Schema (draft 2020-12) with `type: "object"`. */
  parameters: S;
  /** Who must approve a call before it is carried out. Default: `"user"`. */
  approval?: ToolApproval | undefined;
  /** Whether it is harmless to run a call twice. If so, a call that was lost is tried again, three times in all. Default: false. */
  idempotent?: boolean | undefined;
  /**
   * How long the service waits for a sign of life from this page before it considers a running
   * call lost, in milliseconds, 1,000 to 3,600,000. The page sends three in that time. If the
   * operator declares the tool too, the operator's value applies. Default: 180,000.
   */
  timeout?: number | undefined;
  /**
   * Carries out a call, with the arguments that were approved. Its result is sent to the model: a
   * string as it is, anything else as JSON, at most 256 KiB. If it throws, or returns what JSON would lose
   * (a Response, a File, a Map, NaN), the model gets the error's message as the call's error.
   */
  run(args: FromSchema<S>, context: ToolContext): unknown;
}

/** Tools by name. A name has 1 to 64 of the characters `a-z A-Z 0-9 _ -`. `S` is the type of their schemas. */
export type Tools<S = Record<string, JSONSchema>> = { readonly [Name in keyof S]: Tool<S[Name]> };

/** The states of a call. In the first three it waits for a decision, may be carried out, or is being carried out. The others are final. */
export type ToolCallStatus = "awaiting" | "approved" | "running" | "done" | "failed" | "unknown" | "denied" | "expired";

/** A tool call that an agent makes in an answer. Times are seconds since the Unix epoch. */
export interface ToolCall {
  id: string;
  agent_id: string;
  chat_id: string;
  /** The id of the answer. */
  message_id: string;
  stream_id: string;
  /** Where the call is in the answer's text, in UTF-16 units. */
  at: number;
  /** The tool's name. */
  name: string;
  /** Who carries it out: the operator's HTTP server, an MCP server or the page. */
  kind: "http" | "mcp" | "page";
  /** The SHA-256 of the tool's definition, in hex. */
  tool: string;
  approval: ToolApproval;
  /** The tool's description. */
  description?: string;
  /** A JSON object, as text. The call runs with exactly the text that was shown and approved. */
  arguments: string;
  /** What the model wrote, if the service mended it; `arguments` is what it means. It need not be JSON, and is never carried out. */
  model_arguments?: string;
  status: ToolCallStatus;
  requested_at: number;
  /** When it expires if it has not been decided or started by then. */
  expires_at?: number;
  decided_at?: number;
  /** The id of the user who decided; absent if an API key decided, or nobody did. */
  decided_by?: string;
  /** The reason that was given with the decision; `"stopped"` or `"client"` if nobody decided. */
  reason?: string;
  /** Whether the person who approved changed the arguments. */
  edited?: boolean;
  finished_at?: number;
  /** The tool's result: all of it in `getToolCall`, otherwise its first 4 KiB. It is data that you should not trust. */
  result?: string;
  /** The length of the whole result in bytes. */
  result_size?: number;
  /** Whether `result` is only a part of the tool's result. */
  truncated?: boolean;
  /** What failed. */
  error?: string;
  /**
   * Whether its answer is not on the path that the chat shows: somebody has edited the question, regenerated the answer or
   * chosen another branch. Say so beside what approves it. Events of streams don't have it.
   */
  hidden?: boolean;
}

/** Calls, newest first. */
export interface ListToolCallsResponse extends Page {
  tool_calls: ToolCall[];
}

/** The response to a decision. */
export interface ToolCallResponse {
  /** The call after the decision. */
  call: ToolCall;
}

/** Options of `listToolCalls`. */
export interface ListToolCallsOptions extends PageOptions {
  /** Default: every status. */
  status?: ToolCallStatus | undefined;
  /** Default: every chat. */
  chatId?: string | undefined;
  /** The id of the answer. Default: every answer. */
  messageId?: string | undefined;
}

/** Options of `approveToolCall`. */
export interface ApproveToolCallOptions extends WriteOptions {
  /** Arguments to use instead of the model's: an object, or the JSON text of an object. Default: the model's. */
  arguments?: Record<string, unknown> | string | undefined;
  /** Told to the model, 1,000 characters at most. */
  reason?: string | undefined;
}

/**
 * The messages between a page and its worker. The page numbers calls and clients. The worker
 * numbers questions for a token or a tool's result.
 */

import type { Host, OperationName } from "../bindings.js";
import type { WasmModule } from "../options.js";
import type { StreamStart } from "../types.js";

/** How much of a stream the page has. Another worker leaves it out. */
export interface Seen {
  /** The characters of its text. */
  readonly characters: number;
  /** How many other events of each kind, and of each state of a tool call. */
  readonly others: Readonly<Record<string, number>>;
  /** The stream, once it has begun. */
  readonly start?: Pick<StreamStart, "stream_id" | "message_id">;
}

/** The messages from a page to its worker. */
export type ToWorker =
  /** Once, before all others; `pastCache` is as in compile.ts. */
  | readonly ["start", wasm: WasmModule | string, pastCache: boolean]
  | readonly ["open", client: number, config: string, hasAccessToken: boolean, hasLogger: boolean, hasTools: boolean]
  | readonly ["free", client: number]
  | readonly ["close", client: number]
  /** Asks for a `pong`. */
  | readonly ["ping"]
  | readonly ["wake"]
  | readonly ["go offline"]
  | readonly [
      "call", call: number, name: OperationName, client: number, args: string, images: readonly (Blob | string)[] | undefined,
      hasEvents: boolean, hasProgress: boolean, hasLogger: boolean, seen: Seen | undefined,
    ]
  | readonly ["abort", call: number]
  /** The answer to `ask` or `carry`. */
  | readonly ["answer", ask: number, answer: unknown]
  /** The answer after the function failed. The page keeps the error of a token function. */
  | readonly ["no answer", ask: number, message: string | undefined];

/** The messages from a worker to its page. */
export type ToPage =
  /** The script runs. Its version must be the page's. */
  | readonly ["ready", version: string]
  | readonly ["started"]
  /** The module of an address, for the next worker after a crash. */
  | readonly ["module", module: WasmModule]
  | readonly ["done", call: number, answer: unknown]
  | readonly ["failed", call: number, failure: Failure]
  | readonly ["events", call: number, events: string, seen: Seen]
  | readonly ["progress", call: number, sent: number, total: number]
  | readonly ["pong"]
  /** Requests a token. */
  | readonly ["ask", ask: number, client: number]
  /** Requests the result of a tool call; `leave` means that nobody waits for it any more. */
  | readonly ["carry", ask: number, client: number, name: string, callId: string, args: string]
  | readonly ["leave", ask: number]
  | readonly ["log", client: number, entry: string]
  | readonly ["log of call", call: number, entry: string]
  /** The core could not start, or has crashed. No message follows. */
  | readonly ["dead", failure: Failure];

/**
 * The arguments of {@link Host.error}, from which the page makes the error. If a token function's
 * failure is the cause, `ask` is the number of its question.
 */
export type Failure = readonly [...Parameters<Host["error"]>, ask: number | undefined];

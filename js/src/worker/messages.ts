/**
 * What a page and its worker tell each other. Calls and clients are known by
 * numbers that the page gives out, questions for a token or a tool's result by the worker's.
 */

import type { Host, OperationName } from "../bindings.js";
import type { WasmModule } from "../options.js";

/** What a page tells its worker. */
export type ToWorker =
  /** Once, before all else; `timeout` is for the download. */
  | readonly ["start", wasm: WasmModule | string, timeout: number]
  | readonly ["open", client: number, config: string, hasAccessToken: boolean, hasLogger: boolean, hasTools: boolean]
  | readonly ["free", client: number]
  | readonly ["close", client: number]
  | readonly ["wake"]
  | readonly ["go offline"]
  | readonly [
      "call", call: number, name: OperationName, client: number, args: string, images: readonly Blob[] | undefined,
      hasEvents: boolean, hasProgress: boolean,
    ]
  | readonly ["abort", call: number]
  /** The answer to `ask` or `carry`. */
  | readonly ["answer", ask: number, answer: unknown]
  /** The answer where the function failed; the page keeps what that for a token threw. */
  | readonly ["no answer", ask: number, message: string | undefined];

/** What a worker tells its page. */
export type ToPage =
  /** The script runs; the same version belongs together. */
  | readonly ["ready", version: string]
  | readonly ["started"]
  /** The module of an address, for the worker that comes after a crash. */
  | readonly ["module", module: WasmModule]
  | readonly ["done", call: number, answer: unknown]
  | readonly ["failed", call: number, failure: Failure]
  | readonly ["events", call: number, events: string]
  | readonly ["progress", call: number, sent: number, total: number]
  /** Asks for a token. */
  | readonly ["ask", ask: number, client: number]
  /** Asks for the result of a call of a tool; `leave` tells that nobody waits for it any more. */
  | readonly ["carry", ask: number, client: number, name: string, callId: string, args: string]
  | readonly ["leave", ask: number]
  | readonly ["log", client: number, entry: string]
  /** The core could not start, or has crashed. Nothing comes after. */
  | readonly ["dead", failure: Failure];

/**
 * The arguments of {@link Host.error}, with which the page makes the error.
 * Where a token function's failure is the cause, `ask` is its question.
 */
export type Failure = readonly [...Parameters<Host["error"]>, ask: number | undefined];

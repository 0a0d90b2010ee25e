/**
 * The messages between the page and a core, the same whether the core runs in the page (core.ts) or in a worker
 * (worker/remote.ts). The page numbers calls and clients; the core numbers what it asks the page for.
 */

import type { OperationName } from "./bindings.js";
import type { APIErrorFields } from "./errors.js";
import type { LogEntry, WasmModule } from "./options.js";
import type { StreamStart } from "./types.js";
import type { Fetch } from "./upload.js";

/** One end of the channel as the other one has it. */
export interface Port {
  /** May throw if the message has what no worker can get. */
  post(message: ToCore): void;
  /** Ends the core. It says nothing more. */
  end(): void;
}

/** Starts a core, which gives its messages to `hear`. */
export type OpenPort = (hear: (message: FromCore) => void) => Port;

/** An error, which the page makes from it: the classes of errors are there. An argument is a TypeError, an abort an AbortError. */
export interface Failure {
  readonly kind: "argument" | "api" | "abort";
  readonly fields: APIErrorFields & {
    readonly message: string;
    /** The message of the cause, if the cause is not a JavaScript error. */
    readonly because?: string;
  };
  readonly cause?: unknown;
}

/** How much of a stream the page has. Another worker leaves it out. */
export interface Seen {
  /** The characters of its text. */
  readonly characters: number;
  /** How many other events of each kind, and of each state of a tool call. */
  readonly others: Readonly<Record<string, number>>;
  /** The stream, once it has begun. */
  readonly start?: Pick<StreamStart, "stream_id" | "message_id">;
}

/** A client. `settings` is JSON; a page's own `fetch` is for a core in the page. */
export interface OpenMessage {
  readonly kind: "open";
  readonly client: number;
  readonly settings: string;
  readonly fetch?: Fetch | undefined;
}

/** A call of an operation. `args` is JSON; `files` go into the form unchanged. */
export interface CallMessage {
  readonly kind: "call";
  readonly id: number;
  readonly operation: OperationName;
  readonly client: number;
  readonly args: string;
  readonly files?: readonly (Blob | string)[] | undefined;
  /** Whether the upload's progress is wanted. */
  readonly progress?: boolean;
  /** What the page has of the stream; for another worker. */
  readonly seen?: Seen | undefined;
}

/** The messages from the page. */
export type ToCore =
  /** The first one; `pastCache` is as in compile.ts. */
  | { readonly kind: "start"; readonly wasm: WasmModule | string; readonly pastCache: boolean }
  | OpenMessage
  /** Forgets a client. The operations that it has begun continue. */
  | { readonly kind: "free"; readonly client: number }
  /** Ends the calls of a client except its stops, and lets the service finish its answers. */
  | { readonly kind: "close"; readonly client: number }
  | CallMessage
  | { readonly kind: "abort"; readonly id: number }
  /** What `token` or `tool` asked for. */
  | { readonly kind: "given"; readonly ask: number; readonly value: unknown }
  /** The page's function failed. */
  | { readonly kind: "threw"; readonly ask: number; readonly reason: unknown }
  /** The network may be back; every client that waits for it tries again at once. */
  | { readonly kind: "wake" }
  /** There is no network until the next `wake`. */
  | { readonly kind: "goOffline" }
  /** A worker says `pong`. */
  | { readonly kind: "ping" };

/** The messages from the core. */
export type FromCore =
  /** The program runs. `module` is for the next core at the address. */
  | { readonly kind: "started"; readonly module: WasmModule }
  | { readonly kind: "done"; readonly id: number; readonly result: unknown }
  | { readonly kind: "failed"; readonly id: number; readonly failure: Failure }
  /** The events of one network read, as the JSON of `visitEvents`. A worker adds what the page then has. */
  | { readonly kind: "events"; readonly id: number; readonly events: string; readonly seen?: Seen }
  | { readonly kind: "progress"; readonly id: number; readonly sent: number; readonly total: number }
  /** The log entry of a request: for the logger of a call, or, with the `id` 0, of a client. */
  | { readonly kind: "log"; readonly id: number; readonly client: number; readonly entry: LogEntry }
  | { readonly kind: "token"; readonly ask: number; readonly client: number }
  /** Asks for the result of a tool call; `leave` means that nobody waits for it any more. */
  | { readonly kind: "tool"; readonly ask: number; readonly client: number; readonly name: string; readonly callId: string; readonly args: string }
  | { readonly kind: "leave"; readonly ask: number }
  /** The core could not start, or has crashed. No message follows. */
  | { readonly kind: "dead"; readonly failure: Failure }
  /** A worker's script runs. Its version must be the page's. */
  | { readonly kind: "ready"; readonly version: string }
  | { readonly kind: "pong" };

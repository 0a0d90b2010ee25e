/**
 * The border to the Go side: what the program in chatsdk.wasm publishes and
 * what it is given. Package bridge of the Go module names the same things; a
 * test holds the two together. Nothing else here knows of Go.
 */

import type { APIErrorFields } from "./errors.js";
import type { StreamCallbacks } from "./options.js";
import type { ToolCall } from "./tools.js";
import type { Message, StreamStart } from "./types.js";
import type { OnProgress } from "./upload.js";

/**
 * Runs one operation; see call in core.ts. `args` is a JSON object; `images` go into the
 * form as they are; `onEvents` gets the events of one network read as the JSON of
 * {@link readEvents}; `signal` gives the operation up. Resolves with the answer, undefined
 * for none.
 */
export type Operation = (
  client: number,
  args: string,
  images: readonly Blob[] | undefined,
  onEvents: ((events: string) => void) | undefined,
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
) => Promise<unknown>;

/** The names of the operations. */
export type OperationName =
  | "createChat"
  | "listChats"
  | "getChatHistory"
  | "getMessage"
  | "selectBranch"
  | "deleteChat"
  | "updateChatName"
  | "sendMessage"
  | "sendMessageStream"
  | "editMessage"
  | "regenerateMessage"
  | "resumeStream"
  | "stop"
  | "uploadDocument"
  | "listDocuments"
  | "getDocument"
  | "deleteDocument"
  | "sendFeedback"
  | "listAgents"
  | "getMemorySettings"
  | "updateMemorySettings"
  | "listMemories"
  | "listUserMemories"
  | "listPendingMemories"
  | "approveMemory"
  | "rejectMemory"
  | "deleteMemory"
  | "getMemoryStats"
  | "deleteUserMemories"
  | "createMemory"
  | "updateMemory"
  | "decideMemories"
  | "answersOfMemory"
  | "listErasures"
  | "memoriesOfSource"
  | "listToolCalls"
  | "getToolCall"
  | "approveToolCall"
  | "denyToolCall";

/** Carries a call of one of the page's tools out. Resolves with its result. */
export type Carry = (name: string, callId: string, args: string, signal: AbortSignal) => Promise<string>;

/** What the Go side publishes. */
export interface Bindings {
  /** Gives the number of a new client, or the error to throw. */
  newClient(
    config: string, accessToken: (() => Promise<unknown>) | undefined, logger: ((entry: string) => void) | undefined, carry: Carry | undefined,
  ): number | Error;
  /** Forgets a client; what it has begun goes on. */
  freeClient(client: number): void;
  /** Ends the calls of a client but for its stops, and leaves its answers to the service. It is freed later. */
  closeClient(client: number): void;
  /** Lets every client that waits for the network try again at once. */
  wake(): void;
  /** Tells every client that there is no network until the next wake. */
  goOffline(): void;
  /** Gives what an exchange waited for, a token or a tool's result, or why it failed. */
  take(exchange: number, failed: boolean, value: unknown): void;
}

/** An event of a stream with what its callback gets. */
export type Event =
  | readonly ["chunk" | "document_chunk" | "chat_name", string]
  | readonly ["message_object", Record<string, unknown>]
  | readonly ["tool_call", ToolCall]
  | readonly ["complete", Message]
  | readonly ["start", StreamStart]
  | readonly ["end", null];

/** Which callback gets what an event brings, and under which name an {@link AnswerStream} gives it. */
export const receivers: Partial<Record<Event[0], readonly [callback: keyof StreamCallbacks, field: string]>> = {
  start: ["onStart", ""],
  chunk: ["onChunk", "text"],
  message_object: ["onMessageObject", "object"],
  tool_call: ["onToolCall", "call"],
  complete: ["onComplete", "message"],
  chat_name: ["onChatNameUpdate", "name"],
  document_chunk: ["onDocumentChunk", "text"],
};

/** What the program exports; see bridge/exports.go. What comes with a call is written into its memory first. */
export interface Exports {
  /** Where so many bytes go that the next call brings: another one than feed gets them for good. */
  room(bytes: number, forGood: boolean): number;
  /** Begins an operation, by its place among the published ones. It brings the arguments. */
  call(call: number, client: number, operation: number): void;
  abort(call: number): void;
  /** Brings what an exchange waited for: the head of a response as JSON, a whole body, or nothing at the end of a stream. */
  came(exchange: number): void;
  /**
   * Brings bytes of a stream. Gives four times the length of the events in {@link Exports.said},
   * two more where what that has begun is to run now, and one more where nothing else is wanted.
   */
  feed(exchange: number, bytes: number): number;
  /** Where the text of the events is that the last feed gave. */
  said(): number;
}

/** A request but for its body. The fields of a form have a text, or the place of a file among those of the call. */
export interface Head {
  url: string;
  method: string;
  headers: Record<string, string>;
  form?: [name: string, value: string | number][];
  /** The call gets a JSON object as it comes; the program gets an empty one. */
  passes?: true;
}

/** What the Go side is given, as the global `chatsdk` of its own scope. None of it throws. Its texts lie in the program's memory. */
export interface Host {
  /** `operations` are names with spaces between. */
  publish(bindings: Bindings, operations: string): void;
  /** A panic has ended this instance. */
  crash(message: string): void;
  /** Makes an error to reject with. `fields` is a JSON object. */
  error(kind: "argument" | "api" | "abort", fields: string, cause: unknown): Error;
  /** A call is over. */
  settle(call: number, answer: number, length: number, failure: unknown): void;
  /** Events of a call that no feed has given. */
  events(call: number, events: number, length: number): void;
  /** The sizes of a call's files, as JSON. */
  sizes(call: number): string | undefined;
  /** Asks for a token, which take gives. */
  token(exchange: number, accessToken: () => Promise<unknown>): void;
  /** Has a tool carry a call out, the result of which take gives; abort tells it that nobody waits for it. */
  tool(exchange: number, carry: Carry, name: string, callId: string, args: number, length: number): void;
  /**
   * Sends a request of a call, or of none (0). What comes is the head of the response, and
   * the body too unless that is a stream.
   */
  request(exchange: number, call: number, head: number, headLength: number, body: number, bodyLength: number): void;
  /** Reads a stream as it comes, feeds it, and hands over the events, until the end comes or nothing more is wanted. May be called again. */
  pump(exchange: number): void;
  /** How many milliseconds ago a pump's last bytes came. */
  sinceRead(exchange: number): number;
  abort(exchange: number): void;
  /** A request is over. All that are not are aborted when the program ends. */
  finish(exchange: number): void;
}

/** Reads events that the Go side wrote: chunks that follow one another are one entry, with all their texts. */
export function readEvents(json: string): Event[] {
  const events: Event[] = [];
  for (const list of read<[Event[0], ...Event[1][]][]>(json)) {
    for (let n = 1; n < list.length; n++) { // the fastest way: much of a long burst's time is spent here
      events.push([list[0], list[n]] as Event);
    }
  }
  return events;
}

/** What the Go side says of an error, beside its fields. */
export interface ErrorText extends APIErrorFields {
  message: string;
  /** The message of the cause, if the cause is no JavaScript error. */
  reason?: string;
}

/** Reads what the Go side gave: an answer, the fields of an error, what is logged. */
export function read<T>(json: string): T {
  return JSON.parse(json) as T;
}

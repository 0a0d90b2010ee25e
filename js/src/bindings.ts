/**
 * The border to the Go side: what the program in chatsdk.wasm publishes, and what it gets. Package
 * bridge of the Go module has the same names; a test compares the two. No other file here knows
 * about Go.
 */

import type { FromCore, ToCore } from "./messages.js";
import type { StreamCallbacks } from "./options.js";
import type { ToolCall } from "./tools.js";
import type { Message, StreamStart } from "./types.js";
import type { Fetch } from "./upload.js";

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

/** An event of a stream, with what its callback gets. */
export type Event =
  | ["chunk" | "reasoning" | "document_chunk" | "chat_name", string]
  | ["message_object", Record<string, unknown>]
  | ["tool_call", ToolCall]
  | ["complete", Message]
  | ["start", StreamStart]
  | ["end", null];

/** Which callback gets an event's value, and which field of an {@link AnswerStream} event holds it. */
export const receivers: Partial<Record<Event[0], readonly [callback: keyof StreamCallbacks, field: string]>> = {
  start: ["onStart", ""],
  chunk: ["onChunk", "text"],
  reasoning: ["onReasoning", "text"],
  message_object: ["onMessageObject", "object"],
  tool_call: ["onToolCall", "call"],
  complete: ["onComplete", "message"],
  chat_name: ["onChatNameUpdate", "name"],
  document_chunk: ["onDocumentChunk", "text"],
};

/** What the program exports; see bridge/exports.go. The data of a call is written into its memory first. */
export interface Exports {
  /** Where to write the bytes of the next call. Functions other than feed keep them. */
  room(bytes: number, forGood: boolean): number;
  /** Passes a {@link ToCore} as JSON, without what stays here. */
  hear(): void;
  /**
   * Passes what an exchange waited for: the head of a response as JSON, a whole body, or nothing at
   * the end of a stream.
   */
  came(exchange: number): void;
  /**
   * Passes bytes of a stream. Returns four times the length of the events in {@link Exports.said},
   * plus two if goroutines have to run now, plus one if no more bytes are wanted.
   */
  feed(exchange: number, bytes: number): number;
  /** Where the text of the events of the last feed is. */
  said(): number;
}

/** A request without its body. The fields of a form have a text, or the index of one of the call's files. */
export interface Head {
  url: string;
  method: string;
  headers: Record<string, string>;
  form?: [name: string, value: string | number][];
  /**
   * A shape: the call gets a JSON object that fits it directly, and the program an empty one, with the header ":passed";
   * see shape.ts.
   */
  passes?: unknown;
}

/**
 * What the Go side gets, as the global `chatsdk` of its own scope. None of it throws. Its texts are
 * in the program's memory.
 */
export interface Host {
  /** A panic has ended this instance. */
  crash(message: string): void;
  /** Passes a {@link FromCore} as JSON, and the cause of a failure. */
  post(message: number, length: number, cause?: unknown): void;
  /** Events of a call that no feed has returned. */
  events(call: number, events: number, length: number): void;
  /** The sizes of a call's files, as JSON; below 0 for a text that stays here. */
  sizes(call: number): string | undefined;
  /** A property of a page's value, if it is a string. */
  textOf(value: unknown, property: string): string | undefined;
  /** What the message under way has besides its JSON: the `fetch` of a client, a `value` or a `reason`. */
  value(): unknown;
  /**
   * Sends a request of a call, or of no call (0), with `fetch` or the global one. The head of the response comes back, and the body
   * too unless it is a stream.
   */
  request(exchange: number, call: number, head: number, headLength: number, body: number, bodyLength: number, fetch: Fetch | undefined): void;
  /**
   * Reads a stream, feeds it, and passes the events on, until the end or until no more is wanted.
   * May be called again.
   */
  pump(exchange: number): void;
  /** How many milliseconds ago the last bytes of a pump arrived. */
  sinceRead(exchange: number): number;
  abort(exchange: number): void;
  /** A request is over. When the program ends, all requests that are not over are aborted. */
  finish(exchange: number): void;
}

/** Visits the events that the Go side wrote, until one is not wanted: consecutive chunks are one entry, with all their texts. */
export function visitEvents(json: string, visit: (...event: Event) => boolean): void {
  for (const list of read<[Event[0], ...Event[1][]][]>(json)) {
    for (let n = 1; n < list.length; n++) { // the fastest way: a long burst spends much of its time here
      if (!visit(...([list[0], list[n]] as Event))) {
        return;
      }
    }
  }
}

/** Reads what the Go side passed: an answer, the fields of an error, a log entry. */
export function read<T>(json: string): T {
  return JSON.parse(json) as T;
}

/**
 * The border to the Go side: what the program in chatsdk.wasm publishes and
 * what it is given. Package bridge of the Go module names the same things; a
 * test holds the two together. Nothing else here knows of Go.
 */

import type { APIErrorFields } from "./errors.js";
import type { StreamCallbacks } from "./options.js";
import type { Message, StreamStart } from "./types.js";
import type { OnProgress } from "./upload.js";

/**
 * Runs one operation. `args` is a JSON object; `images` go into the form as
 * they are; `onEvents` gets the events of one network read as the JSON of
 * {@link readEvents}; `signal` gives the operation up; `onProgress` is handed to
 * the host's fetch. Resolves with the answer's JSON, empty for none.
 */
export type Operation = (
  client: number,
  args: string,
  images: readonly Blob[] | undefined,
  onEvents: ((events: string) => void) | undefined,
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
) => Promise<string>;

/** What the Go side publishes. */
export interface Bindings {
  /** Gives the number of a new client, or the error to throw. */
  newClient(config: string, accessToken: (() => Promise<unknown>) | undefined, logger: ((entry: string) => void) | undefined): number | Error;
  /** Forgets a client; what it has begun goes on. */
  freeClient(client: number): void;
  /** Ends the calls of a client but for its stops, and leaves its answers to the service. It is freed later. */
  closeClient(client: number): void;
  /** Lets every client that waits for the network try again at once. */
  wake(): void;
  /** Tells every client that there is no network until the next wake. */
  goOffline(): void;
  createChat: Operation;
  listChats: Operation;
  getChatHistory: Operation;
  deleteChat: Operation;
  updateChatName: Operation;
  sendMessage: Operation;
  sendMessageStream: Operation;
  regenerateMessage: Operation;
  resumeStream: Operation;
  stop: Operation;
  uploadDocument: Operation;
  listDocuments: Operation;
  getDocument: Operation;
  deleteDocument: Operation;
  sendFeedback: Operation;
  listAgents: Operation;
  getMemorySettings: Operation;
  updateMemorySettings: Operation;
  listMemories: Operation;
  listUserMemories: Operation;
  listPendingMemories: Operation;
  approveMemory: Operation;
  rejectMemory: Operation;
  deleteMemory: Operation;
  getMemoryStats: Operation;
  deleteUserMemories: Operation;
}

/** The names of the operations among the bindings. */
export type OperationName = Exclude<keyof Bindings, "newClient" | "freeClient" | "closeClient" | "wake" | "goOffline">;

/** An event of a stream with what its callback gets. */
export type Event =
  | readonly ["chunk" | "document_chunk" | "chat_name", string]
  | readonly ["message_object", Record<string, unknown>]
  | readonly ["complete", Message]
  | readonly ["start", StreamStart]
  | readonly ["end", null];

/** Which callback gets what an event brings, and under which name an {@link AnswerStream} gives it. */
export const receivers: Partial<Record<Event[0], readonly [callback: keyof StreamCallbacks, field: string]>> = {
  chunk: ["onChunk", "text"],
  message_object: ["onMessageObject", "object"],
  complete: ["onComplete", "message"],
  chat_name: ["onChatNameUpdate", "name"],
  document_chunk: ["onDocumentChunk", "text"],
};

/** What the program exports to be fed with what a stream brings; see bridge/pump.go. */
export interface Exports {
  /** Where so many bytes of a read go. */
  room(bytes: number): number;
  /** Takes so many bytes. Gives twice the length of the events in {@link Exports.said}, and one more where nothing else is wanted. */
  feed(pump: number, bytes: number): number;
  /** Where the text of the events is that the last feed gave. */
  said(): number;
}

/** What the Go side is given, as the global `chatsdk` of its own scope. */
export interface Host {
  /** The core runs in a page of a browser, or in a worker of one. */
  inBrowser: boolean;
  publish(bindings: Bindings): void;
  /** A panic has ended this instance. */
  crash(message: string): void;
  /** Makes an error to reject with. `fields` is a JSON object. */
  error(kind: "argument" | "api" | "abort", fields: string, cause: unknown): Error;
  /** Gives what aborts a request. All that are not finished are aborted when the program ends. */
  begin(): AbortController;
  /** A request is over. An abort would show it as cancelled in the browser's tools, and costs an event. */
  finish(controller: AbortController): void;
  fetch(url: string, init: RequestInit, onProgress: OnProgress | undefined): Promise<Response>;
  /**
   * Reads to the end, to a failure, which `take` gets, or until the program wants
   * nothing more, and hands over the events. Gives a function that tells how many
   * milliseconds ago something came last. May be called again with the same number.
   */
  pump(
    pump: number,
    reader: ReadableStreamDefaultReader<Uint8Array>,
    onEvents: ((events: string) => void) | undefined,
    take: (cause?: unknown) => void,
  ): () => number;
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
  /** The message of the error beneath, where that is none of JavaScript's. */
  reason?: string;
}

/** Reads what the Go side gave: an answer, the fields of an error, what is logged. */
export function read<T>(json: string): T {
  return JSON.parse(json) as T;
}

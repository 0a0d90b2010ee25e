import type { APIError } from "./errors.js";
import type { JSONSchema, ToolCall, Tools } from "./tools.js";
import type { AgentType, Message, ModelName, StreamStart } from "./types.js";

/** A `WebAssembly.Module`, where the types of the platform have one: those of Node don't. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** Where the core comes from. */
export interface CoreOptions {
  /** Where `chatsdk.wasm` is served. Default: beside the script. */
  wasmURL?: string | URL | undefined;
  /**
   * `chatsdk.wasm`, compiled: nothing is fetched then. For platforms that give
   * it to who imports the file, as workerd does:
   * `import wasmModule from "chatsdk/chatsdk.wasm"`. Outside of browsers each
   * ChatSDK starts a core of its own with it: on workerd, make one for each request.
   */
  wasmModule?: WasmModule | undefined;
  /**
   * Runs the core in a worker, so that the page is free while it compiles and
   * works. `true` starts the worker that the package brings, from a `blob:`
   * address, which a Content-Security-Policy has to allow in `worker-src`. An
   * address is the address of `chatsdk.worker.js`, served by the page's own origin.
   * Where Trusted Types are required, `trusted-types` has to allow `chatsdk`.
   * Where no worker can be started (Node has none of this kind) the core runs in
   * the page, and a warning on the console says why. Default: false.
   */
  worker?: boolean | string | URL | undefined;
}

/** How a {@link ChatSDK} reaches the service, whoever it acts for, and what it offers. `S` are the schemas of its tools. */
export interface ConnectionOptions<S = Record<string, JSONSchema>> extends CoreOptions {
  /** The service's address, such as `"https://api.example.com"`; it may have a path. */
  baseUrl: string;
  /** The project. */
  projectId: string;
  /** How often a call that may be repeated is tried again. Default: 2. */
  maxRetries?: number | undefined;
  /**
   * Milliseconds of the longest wait before the second try; it doubles with each
   * one after, up to 8 s. Default: 500.
   */
  retryDelay?: number | undefined;
  /**
   * Milliseconds that an answer may take, for each try; of a stream, its
   * headers. A second is added for each 64 KiB that are sent. Default: 120,000.
   */
  timeout?: number | undefined;
  /** Milliseconds that a stream may be silent before it is resumed. Default: 25,000. */
  stallTimeout?: number | undefined;
  /**
   * Milliseconds that a stream whose connection was lost is looked for, since its
   * last event; 0 is never. Time offline, asleep or frozen does not count, and
   * coming online or into view begins it again. Default: 60,000.
   */
  resumeTimeout?: number | undefined;
  /**
   * Tools that the page offers with each message. It carries out what is called of them, where it is
   * approved, in the answers that it follows: those of `stream`, `sendMessageStream`,
   * `regenerateMessage` and `resumeStream`.
   */
  tools?: Tools<S> | undefined;
  /** Is told of each request: no credentials, nobody's words. */
  logger?: ((entry: LogEntry) => void) | undefined;
  /** Lets `apiSecret` stand in a page, where anybody can read it. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The credential of a page: the token of its user, which your server mints with `createAccessToken`. */
export interface AccessTokenCredentials {
  /**
   * The user's access token, or a function that gives it, now or later. The
   * function is asked once, for all calls that wait for the token, and once
   * again when a request is refused with 401. Where it rejects, or gives nothing
   * within `timeout`, the call is tried again as after a lost connection.
   */
  accessToken: string | (() => string | Promise<string>);
  /** Stands instead of `accessToken`, on a server. */
  apiKey?: undefined;
  /** Stands instead of `accessToken`, on a server. */
  apiSecret?: undefined;
  /** The token names its user already. */
  userId?: undefined;
}

/** The credentials of a server. One that is undefined, as in `process.env`, is refused when the program runs. */
export interface APIKeyCredentials {
  /** Acts as the project's administrator, or as the user that `userId` names. */
  apiKey: string | undefined;
  /** The secret beside `apiKey`. It does not belong in a page. */
  apiSecret: string | undefined;
  /** Acts as exactly this user. Default: nobody, with an administrator's rights. */
  userId?: string | undefined;
  /** Stands instead of `apiKey` and `apiSecret`, in a page. */
  accessToken?: undefined;
}

/**
 * How a {@link ChatSDK} reaches the service, and as whom: `accessToken` in a
 * page, `apiKey` with `apiSecret` on a server, never both.
 */
export type ChatSDKConfig<S = Record<string, JSONSchema>> = ConnectionOptions<S> & (AccessTokenCredentials | APIKeyCredentials);

/** One request, as `logger` is told of it. */
export interface LogEntry {
  /** The method that made it: `"listChats"`. */
  operation: string;
  /** HTTP method. */
  method: string;
  /** The address's path, which holds ids, without its query. */
  path: string;
  /** HTTP status, 0 for no response. */
  status: number;
  /** That of the {@link APIError}; absent for a success. */
  code?: string;
  /** Finds the request in the service's log. */
  requestId?: string;
  /** Until the headers came. */
  milliseconds: number;
}

/** Options of every method. */
export interface CallOptions {
  /** Gives the call up: its promise is rejected with an `AbortError` at once. */
  signal?: AbortSignal | undefined;
}

/** Options of the methods that make or change something once, however often they are sent. */
export interface WriteOptions extends CallOptions {
  /**
   * One thing is made of all calls with the same key in 24 hours: 1 to 255
   * visible ASCII characters. Default: a new one for each call.
   */
  idempotencyKey?: string | undefined;
}

/** Options of the methods whose answer is written while it is read. */
export interface AnswerOptions extends WriteOptions {
  /**
   * Lets the service finish the answer when `signal` is aborted or the reader leaves. Default: it is
   * stopped, unless it waits for a call of a tool: that, `stop` alone ends.
   */
  detachOnAbort?: boolean | undefined;
}

/** Which page of a list is given. Where neither is set it is the first 1,000. */
export interface PageOptions extends CallOptions {
  /** The `next_cursor` of the page before. Default: the first page. */
  cursor?: string | undefined;
  /** How many a page holds at most, 1 to 1000. Default: 1000. */
  limit?: number | undefined;
}

/** Options that ask for a page. */
export type Paged = { cursor: string } | { limit: number };

/** Options that ask for no page. */
export interface Unpaged {
  cursor?: undefined;
  limit?: undefined;
}

/** Options of `getChatHistory`. */
export interface GetChatHistoryOptions extends CallOptions {
  /** The id of a message: only older ones are given. Default: all, up to the newest. */
  before?: string | undefined;
  /** How many messages are given at most, the newest of them, 1 to 1000. Default: 1000. */
  limit?: number | undefined;
  /** The path through this message is given. Default: the chat's own. */
  messageId?: string | undefined;
  /** `"all"` gives the messages of every branch. Default: those of the path. */
  branches?: "all" | undefined;
}

/** Options of `getDocument`: which part of its text is given, as `slice` takes it. */
export interface GetDocumentOptions extends CallOptions {
  /** Where the part begins, in UTF-16 units from 0 on. Default: 0. */
  start?: number | undefined;
  /** Where the part ends, in UTF-16 units, before this one. Default: the end of the text. */
  end?: number | undefined;
}

/** Options of `createChat` beyond its parameters. */
export interface CreateChatOptions extends WriteOptions {
  /** Kept with the chat: anything that JSON can say. */
  metadata?: Record<string, unknown> | undefined;
}

/** Options of a message. One that is left out sends nothing, and the service's default holds. */
export interface SendMessageOptions extends AnswerOptions {
  /** The chat. Default: a new one, which the answer names. */
  chatId?: string | undefined;
  /** The answer of the chat that the message follows. Default: the last one of its path. */
  parentId?: string | undefined;
  /**
   * A question of the chat that this one is another version of: it stands beside it, with
   * its images unless there are `images`. It excludes `parentId`.
   */
  edits?: string | undefined;
  /** Manner of this answer. Default: the agent's. */
  agentType?: AgentType | undefined;
  /** The agent. Default: the first that the caller may use. */
  agentId?: string | undefined;
  /** Documents to search. Default: the chat's, else the agent's, else all. */
  documentKeys?: readonly string[] | undefined;
  /** Sent with the message, as they are. */
  images?: readonly Blob[] | undefined;
  /** How much of the message with its images has been sent, in bytes. */
  onUploadProgress?: ((sent: number, total: number) => void) | undefined;
  /** Kept with the message: anything that JSON can say. */
  metadata?: Record<string, unknown> | undefined;
  /** The model. Default: the agent's. */
  modelName?: ModelName | undefined;
  /** Searches documents. `false` keeps `documentKeys` from turning it on. */
  useKnowledgebase?: boolean | undefined;
  /** Marks the message as a test. Default: false. */
  isTest?: boolean | undefined;
  /** Searches the web. Default: false. */
  googleSearch?: boolean | undefined;
  /** How the answer should look. Without a model they are refused. */
  formatInstructions?: string | undefined;
  /** Asks without what was said before. Default: false. */
  ignoreChatHistory?: boolean | undefined;
  /** A JSON text whose shape the answer is to have. */
  exampleJson?: string | undefined;
  /** Asks for the answer in one piece. Default: false. `sendMessage` always does. */
  skipStream?: boolean | undefined;
}

/**
 * What a streamed answer is handed to, one event at a time and in order. A
 * callback that throws is reported as an uncaught error and ends nothing.
 */
export interface StreamCallbacks {
  /** The service has the message, and names it and its answer. */
  onStart?: ((start: StreamStart) => void) | undefined;
  /** The next piece of the answer. */
  onChunk?: ((chunk: string) => void) | undefined;
  /** Structured data beside the text, for example `{image_urls: […]}`. */
  onMessageObject?: ((messageObject: Record<string, unknown>) => void) | undefined;
  /** A call of a tool, first when it is made, and again at each change. */
  onToolCall?: ((call: ToolCall) => void) | undefined;
  /** The whole answer. Never called for one that was cut. */
  onComplete?: ((message: Message) => void) | undefined;
  /** The stream failed. Without it the promise is rejected. */
  onError?: ((error: APIError) => void) | undefined;
  /** The chat got a name. */
  onChatNameUpdate?: ((chatName: string) => void) | undefined;
  /** What is being looked up, in a few words; not part of the answer. */
  onDocumentChunk?: ((chunk: string) => void) | undefined;
  /** Called once at the end, after a failure and an abort too. */
  onMessageEnd?: (() => void) | undefined;
}

/** Options and callbacks of `sendMessageStream`. */
export interface SendMessageStreamOptions extends SendMessageOptions, StreamCallbacks {}

/** Options and callbacks of `editMessage`. */
export interface EditMessageOptions extends Omit<SendMessageStreamOptions, "chatId" | "edits" | "parentId"> {}

/** Options and callbacks of `regenerateMessage`. */
export interface RegenerateMessageOptions extends AnswerOptions, StreamCallbacks {}

/** Options and callbacks of `resumeStream`. */
export interface ResumeStreamOptions extends Omit<AnswerOptions, "idempotencyKey">, StreamCallbacks {
  /** The answer, on the chat's path or not. Default: the last one of the path that is being written. */
  messageId?: string | undefined;
}

/** Options of `uploadDocument`. */
export interface UploadDocumentOptions extends WriteOptions {
  /** Kept with the document: anything that JSON can say. */
  metadata?: Record<string, unknown> | undefined;
  /** How much of the file has been sent, in bytes; where the platform does not tell, once at the end. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
}

/** What narrows `listDocuments`. */
export interface ListDocumentsOptions extends CallOptions {
  /** Stands instead of `page`: the `next_cursor` of the page before. Default: the first page. */
  cursor?: string | undefined;
  /** Stands instead of `itemsPerPage`: how many documents a page holds at most, 1 to 100. Default: 30. */
  limit?: number | undefined;
  /** Counts from 1. Default: 1. */
  page?: number | undefined;
  /** 1 to 100. Default: 30. */
  itemsPerPage?: number | undefined;
  /** A part of the title or of the file's name. */
  nameSearch?: string | undefined;
}

/** Whose token `createAccessToken` mints. */
export interface AccessTokenOptions extends CallOptions {
  userId: string;
  /** Default: `"user"`. */
  role?: "user" | "admin" | undefined;
  /** Agents that the user may use; `[]` is none. Default: all. */
  agents?: readonly string[] | undefined;
  /** Seconds, 1 to 86400. Default: 3600. */
  expiresIn?: number | undefined;
}

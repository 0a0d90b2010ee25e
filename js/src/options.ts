import type { APIError } from "./errors.js";
import type { JSONSchema, ToolCall, Tools } from "./tools.js";
import type { AgentType, Message, ModelName, StreamStart } from "./types.js";

/** A `WebAssembly.Module`, if the platform's types have it. Node's types don't. */
export type WasmModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/** Where the core comes from. */
export interface CoreOptions {
  /** Where `chatsdk.wasm` is served. Default: beside the script. */
  wasmURL?: string | URL | undefined;
  /**
   * The compiled `chatsdk.wasm`; then nothing is fetched. For platforms where importing
   * the file gives it, such as workerd:
   * `import wasmModule from "chatsdk/chatsdk.wasm"`. Outside of browsers each
   * ChatSDK starts its own core with it. On workerd, create one for each request.
   */
  wasmModule?: WasmModule | undefined;
  /**
   * Runs the core in a worker, so that the page is free while it compiles and
   * works. `true` starts the worker that the package brings, from a `blob:`
   * address, which a Content-Security-Policy has to allow in `worker-src`. An
   * address is the address of `chatsdk.worker.js`, served by the page's own origin.
   * If Trusted Types are required, `trusted-types` has to allow `chatsdk`.
   * If no worker can be started (Node has no such workers), the core runs in
   * the page, and a warning on the console says why. Default: false.
   */
  worker?: boolean | string | URL | undefined;
}

/** The settings of a {@link ChatSDK} beside its credentials. `S` are the schemas of its tools. */
export interface ConnectionOptions<S = Record<string, JSONSchema>> extends CoreOptions {
  /** The service's address, such as `"https://api.example.com"`; it may have a path. */
  baseUrl: string;
  /** The project. */
  projectId: string;
  /** How often a call that may be repeated is tried again. Default: 2. */
  maxRetries?: number | undefined;
  /**
   * Milliseconds that the SDK waits at most before the second try. The limit doubles with each
   * further try, up to 8 s. Default: 500.
   */
  retryDelay?: number | undefined;
  /**
   * Milliseconds that each try may wait for the answer; for a stream, for its
   * headers. A second is added for each 64 KiB that are sent. Default: 120,000.
   */
  timeout?: number | undefined;
  /** Milliseconds that a stream may be silent before it is resumed. Default: 25,000. */
  stallTimeout?: number | undefined;
  /**
   * Milliseconds for which the SDK tries to resume a stream that lost its connection, from the
   * last event on; 0 means never. Time offline, asleep or frozen does not count, and
   * the time begins again when the page comes online or into view. Default: 60,000.
   */
  resumeTimeout?: number | undefined;
  /**
   * Tools that the page offers with each message. The page carries out their calls once these are
   * approved, in the answers that it follows with `stream`, `sendMessageStream`,
   * `regenerateMessage` and `resumeStream`.
   */
  tools?: Tools<S> | undefined;
  /** Called for each request. It gets no credentials and no text of a conversation. */
  logger?: ((entry: LogEntry) => void) | undefined;
  /** Allows `apiSecret` in a page, where anybody can read it. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The credential of a page: the token of its user, which your server mints with `createAccessToken`. */
export interface AccessTokenCredentials {
  /**
   * The user's access token, or a function that gives it, now or later. The
   * function is asked once, for all calls that wait for the token, and once
   * again when a request is refused with 401. If it rejects, or gives nothing
   * within `timeout`, the call is tried again as after a lost connection.
   */
  accessToken: string | (() => string | Promise<string>);
  /** On a server, use `apiKey` and `apiSecret` instead. */
  apiKey?: undefined;
  /** On a server, use `apiKey` and `apiSecret` instead. */
  apiSecret?: undefined;
  /** Not with a token, which names its user. */
  userId?: undefined;
}

/** The credentials of a server. If one is undefined, as it may be in `process.env`, the constructor throws. */
export interface APIKeyCredentials {
  /** Acts as the project's administrator, or as the user that `userId` names. */
  apiKey: string | undefined;
  /** The secret of `apiKey`. Never put it into a page. */
  apiSecret: string | undefined;
  /** Acts as exactly this user. Default: nobody, with an administrator's rights. */
  userId?: string | undefined;
  /** In a page, use `accessToken` instead. */
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
  /** The code of the {@link APIError}; absent after a success. */
  code?: string;
  /** Finds the request in the service's log. */
  requestId?: string;
  /** Milliseconds until the headers came. */
  milliseconds: number;
}

/** Options of every method. */
export interface CallOptions {
  /** Aborts the call: its promise is rejected with an `AbortError` at once. */
  signal?: AbortSignal | undefined;
}

/** Options of the methods that make or change something once, however often they are sent. */
export interface WriteOptions extends CallOptions {
  /**
   * All calls with the same key in 24 hours count as one: 1 to 255
   * visible ASCII characters. Default: a new one for each call.
   */
  idempotencyKey?: string | undefined;
}

/** Options of the methods whose answer is written while it is read. */
export interface AnswerOptions extends WriteOptions {
  /**
   * Lets the service finish the answer when `signal` is aborted or the reader leaves. Default: it is
   * stopped, unless it waits for a call of a tool; then only `stop` ends it.
   */
  detachOnAbort?: boolean | undefined;
}

/** Which page of a list is given. If neither is set, it has the first 1,000. */
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
  /** Kept with the chat: any JSON value. */
  metadata?: Record<string, unknown> | undefined;
}

/** Options of a message. For an option that is left out, the service's default holds. */
export interface SendMessageOptions extends AnswerOptions {
  /** The chat. Default: a new one, which the answer names. */
  chatId?: string | undefined;
  /** The answer of the chat that the message follows. Default: the last one of its path. */
  parentId?: string | undefined;
  /**
   * A question of the chat. The message is another version of it, with
   * its images unless there are `images`. It excludes `parentId`.
   */
  edits?: string | undefined;
  /** The manner of this answer. Default: the agent's. */
  agentType?: AgentType | undefined;
  /** The agent. Default: the first that the caller may use. */
  agentId?: string | undefined;
  /** Documents to search. Default: the chat's, else the agent's, else all. */
  documentKeys?: readonly string[] | undefined;
  /** Images that are sent with the message, unchanged. */
  images?: readonly Blob[] | undefined;
  /** How much of the message with its images has been sent, in bytes. */
  onUploadProgress?: ((sent: number, total: number) => void) | undefined;
  /** Kept with the message: any JSON value. */
  metadata?: Record<string, unknown> | undefined;
  /** The model. Default: the agent's. */
  modelName?: ModelName | undefined;
  /** Searches documents. `false` keeps `documentKeys` from turning it on. */
  useKnowledgebase?: boolean | undefined;
  /** Marks the message as a test. Default: false. */
  isTest?: boolean | undefined;
  /** Searches the web. Default: false. */
  googleSearch?: boolean | undefined;
  /** How the answer should look. A service without a model refuses them. */
  formatInstructions?: string | undefined;
  /** The model does not get the earlier messages. Default: false. */
  ignoreChatHistory?: boolean | undefined;
  /** A JSON text whose shape the answer is to have. */
  exampleJson?: string | undefined;
  /** Asks for the answer in one piece. Default: false. `sendMessage` always does. */
  skipStream?: boolean | undefined;
}

/**
 * The callbacks of a streamed answer, called for one event at a time and in order. A
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
  /** Kept with the document: any JSON value. */
  metadata?: Record<string, unknown> | undefined;
  /** How much of the file has been sent, in bytes. If the platform does not tell, it is called once at the end. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
}

/** Options of `listDocuments`. */
export interface ListDocumentsOptions extends CallOptions {
  /** The `next_cursor` of the page before, in place of `page`. Default: the first page. */
  cursor?: string | undefined;
  /** How many documents a page holds at most, 1 to 100, in place of `itemsPerPage`. Default: 30. */
  limit?: number | undefined;
  /** Counts from 1. Default: 1. */
  page?: number | undefined;
  /** 1 to 100. Default: 30. */
  itemsPerPage?: number | undefined;
  /** A part of the title or of the file's name. */
  nameSearch?: string | undefined;
}

/** For whom `createAccessToken` makes a token. */
export interface AccessTokenOptions extends CallOptions {
  userId: string;
  /** Default: `"user"`. */
  role?: "user" | "admin" | undefined;
  /** Agents that the user may use; `[]` means none. Default: all. */
  agents?: readonly string[] | undefined;
  /** Seconds, 1 to 86400. Default: 3600. */
  expiresIn?: number | undefined;
}

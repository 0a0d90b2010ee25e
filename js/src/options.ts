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
   * The compiled `chatsdk.wasm`, so that nothing is fetched. It is for platforms that compile the
   * file when it is imported, such as workerd: `import wasmModule from "chatsdk/chatsdk.wasm"`.
   * Outside browsers, each ChatSDK starts its own core with it. On workerd, create a ChatSDK
   * for each request.
   */
  wasmModule?: WasmModule | undefined;
  /**
   * Runs the core in a worker, so that the page is free while it compiles and
   * works. `true` starts the worker of the package from a `blob:` address, which a
   * Content-Security-Policy has to allow in `worker-src`. To start it from an address instead, set
   * the address of `chatsdk.worker.js`, served by the page's own origin.
   * If Trusted Types are required, `trusted-types` has to allow `chatsdk`.
   * If no worker can be started (Node has no such workers), the core runs in
   * the page, and a warning on the console says why. Default: false.
   */
  worker?: boolean | string | URL | undefined;
}

/** The settings of a {@link ChatSDK}, without its credentials. `S` is the type of the schemas of its tools. */
export interface ConnectionOptions<S = Record<string, JSONSchema>> extends CoreOptions {
  /** The service's address, such as `"https://api.example.com"`. It may have a path. */
  baseUrl: string;
  /** The id of the project. */
  projectId: string;
  /** How many times the SDK retries a failed call that may be retried. Default: 2. */
  maxRetries?: number | undefined;
  /**
   * The longest wait before the second try, in milliseconds. It doubles with each further try,
   * up to 8 s. Default: 500.
   */
  retryDelay?: number | undefined;
  /**
   * How long each try may wait for the response, or for the headers of a stream, in milliseconds.
   * Each 64 KiB sent adds a second. Default: 120,000.
   */
  timeout?: number | undefined;
  /** Milliseconds that a stream may be silent before it is resumed. Default: 25,000. */
  stallTimeout?: number | undefined;
  /**
   * How long the SDK tries to resume a stream that lost its connection, in milliseconds after the
   * stream's last event; 0 means never. Time offline, asleep or frozen does not count, and the time
   * starts again when the page comes online or into view. Default: 60,000.
   */
  resumeTimeout?: number | undefined;
  /**
   * Tools that the page offers with each message. The page carries out their approved calls
   * while it follows an answer with `stream`, `sendMessageStream`, `regenerateMessage` or
   * `resumeStream`.
   */
  tools?: Tools<S> | undefined;
  /** Called for each request. It gets no credentials and no text of a conversation. */
  logger?: ((entry: LogEntry) => void) | undefined;
  /**
   * Sends the requests to the service in place of the global `fetch`, also after `close()` the one that stops an answer. With it
   * the progress of an upload is reported once, at the end. It cannot be combined with `worker`. Default: the global `fetch`.
   */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Headers to send with each request, such as `{"x-tenant": "t1"}`. Those that the SDK sets itself are refused. For
   * a page from another origin, the service's `ALLOWED_HEADERS` has to name them. Default: none.
   */
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Allows `apiSecret` in a page, where anybody can read it. Default: false. */
  dangerouslyAllowBrowser?: boolean | undefined;
}

/** The credential of a page: the token of its user, which your server mints with `createAccessToken`. */
export interface AccessTokenCredentials {
  /**
   * The user's access token, or a function that returns it or a promise of it. The SDK calls the
   * function once for all calls that wait for a token, and once more if the service answers
   * 401. If it rejects, or does not finish within `timeout`, the SDK tries the call again, as
   * after a lost connection. If it is undefined, as it may be in `process.env`, the constructor throws.
   */
  accessToken: string | undefined | (() => string | Promise<string>);
  /** On a server, use `apiKey` and `apiSecret` instead. */
  apiKey?: undefined;
  /** On a server, use `apiKey` and `apiSecret` instead. */
  apiSecret?: undefined;
  /** Not allowed with a token, because the token names its user. */
  userId?: undefined;
}

/** The credentials of a server. If one is undefined, as it may be in `process.env`, the constructor throws. */
export interface APIKeyCredentials {
  /** The API key. It acts as the project's administrator, or as the user in `userId`. */
  apiKey: string | undefined;
  /** The secret of `apiKey`. Never put it in a page. */
  apiSecret: string | undefined;
  /**
   * Acts as this user, with this user's rights. Default: no user, with an administrator's rights. Messages
   * that are sent without a user are nobody's, and are never examined for memories.
   */
  userId?: string | undefined;
  /** In a page, use `accessToken` instead. */
  accessToken?: undefined;
}

/**
 * How a {@link ChatSDK} reaches the service, and as whom: `accessToken` in a
 * page, `apiKey` with `apiSecret` on a server, never both.
 */
export type ChatSDKConfig<S = Record<string, JSONSchema>> = ConnectionOptions<S> & (AccessTokenCredentials | APIKeyCredentials);

/** One request, as `logger` gets it. */
export interface LogEntry {
  /** The method that made it: `"listChats"`. */
  operation: string;
  /** HTTP method. */
  method: string;
  /** The path of the address, including ids but without the query. */
  path: string;
  /** HTTP status, 0 if there was no response. */
  status: number;
  /** The code of the {@link APIError}; absent after a success. */
  code?: string;
  /** Identifies the request in the service's log. */
  requestId?: string;
  /** Milliseconds until the response's headers arrived. */
  milliseconds: number;
}

/** Options of every method. */
export interface CallOptions {
  /** Aborts the call: its promise is rejected with an `AbortError` at once. */
  signal?: AbortSignal | undefined;
  /** Milliseconds for each try, in place of the client's `timeout`. */
  timeout?: number | undefined;
  /** How many times a failure that may be temporary is tried again, in place of the client's `maxRetries`. */
  maxRetries?: number | undefined;
  /** Called for each request of the call, after the client's `logger`. Its `requestId` is that of a success, too. */
  logger?: ((entry: LogEntry) => void) | undefined;
}

/** Options of the methods that create or change something only once, however often the request is sent. */
export interface WriteOptions extends CallOptions {
  /**
   * The service carries out calls with the same key only once within 24 hours. 1 to 255
   * visible ASCII characters. Default: a new key for each call.
   */
  idempotencyKey?: string | undefined;
}

/** Options of the methods that follow an answer while it is written. */
export interface AnswerOptions extends WriteOptions {
  /**
   * Lets the service finish the answer when `signal` is aborted or the reader leaves. By default
   * the answer is stopped, unless it is waiting for a tool call: then only `stop` ends it.
   */
  detachOnAbort?: boolean | undefined;
}

/** Which page of a list to get. By default it is the first 1,000 entries. */
export interface PageOptions extends CallOptions {
  /** The `next_cursor` of the previous page. Default: the first page. */
  cursor?: string | undefined;
  /** The most entries on a page, 1 to 1000. Default: 1000. */
  limit?: number | undefined;
}

/** Options that ask for a page. */
export type Paged = { cursor: string } | { limit: number };

/** Names the answer to stop: by its stream, or by the key that its message was sent with. */
export type AnswerName =
  | { streamId: string; idempotencyKey?: string | undefined }
  | { streamId?: string | undefined; idempotencyKey: string };

/** Options that do not ask for a page. */
export interface Unpaged {
  cursor?: undefined;
  limit?: undefined;
}

/** Options of `getChatHistory`. */
export interface GetChatHistoryOptions extends CallOptions {
  /** The id of a message: only older messages are returned. Default: all, up to the newest. */
  before?: string | undefined;
  /** The most messages to get, 1 to 1000. If there are more, you get the newest, and `has_more`. Default: all, in several requests. */
  limit?: number | undefined;
  /** Returns the path through this message. Default: the chat's current path. */
  messageId?: string | undefined;
  /** `"all"` returns the messages of every branch. Default: those of the path. */
  branches?: "all" | undefined;
}

/** Options of `getDocument`: which part of the text to get, as in `slice`. */
export interface GetDocumentOptions extends CallOptions {
  /** Where the part begins, in UTF-16 units, from 0. Default: 0. */
  start?: number | undefined;
  /** Where the part ends, in UTF-16 units; the unit at `end` is not included. Default: the end of the text. */
  end?: number | undefined;
}

/** Options of `createChat`, after its parameters. */
export interface CreateChatOptions extends WriteOptions {
  /** A JSON object, stored with the chat. A value in it that JSON would lose, such as a File, is a `TypeError`. */
  metadata?: Record<string, any> | undefined;
}

/** Options of a message. The service has a default for each option that you leave out. */
export interface SendMessageOptions extends AnswerOptions {
  /** The chat. Default: a new one, whose id comes with the answer. */
  chatId?: string | undefined;
  /** The id of the answer that the message follows. Default: the last answer of the chat's path. */
  parentId?: string | undefined;
  /**
   * The id of a question in the chat. The message becomes another version of it, and keeps its
   * images unless you pass `images`. Cannot be combined with `parentId`.
   */
  edits?: string | undefined;
  /** How the agent answers. Default: the agent's own type. */
  agentType?: AgentType | undefined;
  /** The agent. Default: the first one that the caller may use. */
  agentId?: string | undefined;
  /** Documents to search. Default: the chat's, else the agent's, else all. */
  documentKeys?: readonly string[] | undefined;
  /** Images to send with the message, unchanged. */
  images?: readonly Blob[] | undefined;
  /** Called with the number of bytes of the message and its images that have been sent, and with the total. */
  onUploadProgress?: ((sent: number, total: number) => void) | undefined;
  /** A JSON object, stored with the message. A value in it that JSON would lose, such as a File, is a `TypeError`. */
  metadata?: Record<string, any> | undefined;
  /** The model. Default: the agent's. */
  modelName?: ModelName | undefined;
  /** Searches documents. Default: true if the message or its chat has document keys; `false` turns that off. */
  useKnowledgebase?: boolean | undefined;
  /** Marks the message as a test. Default: false. */
  isTest?: boolean | undefined;
  /** Searches the web. Default: false. */
  googleSearch?: boolean | undefined;
  /** Instructions for the form of the answer. A service without a language model refuses them. */
  formatInstructions?: string | undefined;
  /** Hides the chat's earlier messages from the model. Default: false. */
  ignoreChatHistory?: boolean | undefined;
  /** A JSON text: the answer should be JSON of the same shape. */
  exampleJson?: string | undefined;
  /** Asks for what the model thinks, which comes to `onReasoning` and in `message.reasoning`,
    if the agent shows it. Default: whether `onReasoning` is given. */
  reasoning?: boolean | undefined;
  /** Asks for the answer in one piece. Default: false. `sendMessage` always does. */
  skipStream?: boolean | undefined;
}

/**
 * The callbacks of a streamed answer, called for one event at a time and in order. An error
 * that a callback throws is reported as an uncaught error; the stream goes on.
 */
export interface StreamCallbacks {
  /** The service has received the message. `start` has the ids of the message and its answer. */
  onStart?: ((start: StreamStart) => void) | undefined;
  /** The next piece of the answer. */
  onChunk?: ((chunk: string) => void) | undefined;
  /** The next piece of what the model thinks. Not part of the answer. */
  onReasoning?: ((text: string) => void) | undefined;
  /** Structured data in addition to the text, for example `{image_urls: […]}`. */
  onMessageObject?: ((messageObject: Record<string, unknown>) => void) | undefined;
  /** A tool call. Called when the agent makes the call, and again at each change. */
  onToolCall?: ((call: ToolCall) => void) | undefined;
  /** The whole answer. Not called if the stream was cut. */
  onComplete?: ((message: Message) => void) | undefined;
  /** The stream failed. Without this callback the promise is rejected. */
  onError?: ((error: APIError) => void) | undefined;
  /** The chat has been named, or somebody has renamed it. */
  onChatNameUpdate?: ((chatName: string) => void) | undefined;
  /** A few words about what the agent is looking up. Not part of the answer. */
  onDocumentChunk?: ((chunk: string) => void) | undefined;
  /** Called once at the end, also after a failure or an abort. After `close()` nothing is called. */
  onMessageEnd?: (() => void) | undefined;
}

/** Options and callbacks of `sendMessageStream`. */
export interface SendMessageStreamOptions extends SendMessageOptions, StreamCallbacks {}

/** Options and callbacks of `editMessage`. */
export interface EditMessageOptions extends Omit<SendMessageStreamOptions, "chatId" | "edits" | "parentId"> {}

/** Options and callbacks of `regenerateMessage`. */
export interface RegenerateMessageOptions extends AnswerOptions, StreamCallbacks {
  /** Asks for what the model thinks, as for a message. Default: whether `onReasoning` is given. */
  reasoning?: boolean | undefined;
}

/** Options and callbacks of `resumeStream`. */
export interface ResumeStreamOptions extends Omit<AnswerOptions, "idempotencyKey">, StreamCallbacks {
  /** The id of the answer, which need not be on the chat's path. Default: the last answer of the path that is being written. */
  messageId?: string | undefined;
  /**
   * The stream of the answer that `messageId` names, from `onStart`. With it the answer is read to its end also if it has ended
   * since. Default: the stream that the history names while the answer is being written.
   */
  streamId?: string | undefined;
}

/** Options of `uploadDocument`. */
export interface UploadDocumentOptions extends WriteOptions {
  /** A JSON object, stored with the document. A value in it that JSON would lose, such as a File, is a `TypeError`. */
  metadata?: Record<string, any> | undefined;
  /** Called with the number of bytes that have been sent, and with the total. Where the platform reports no progress, it is called once at the end. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
}

/** Options of `listDocuments`. */
export interface ListDocumentsOptions extends CallOptions {
  /** The `next_cursor` of the previous page, instead of `page`. Default: the first page. */
  cursor?: string | undefined;
  /** The most documents on a page, 1 to 100, instead of `itemsPerPage`. Default: 30. */
  limit?: number | undefined;
  /** The number of the page, from 1. Default: 1. */
  page?: number | undefined;
  /** The most documents on a page, 1 to 100. Default: 30. */
  itemsPerPage?: number | undefined;
  /** Returns only documents with this text in their title or file name. */
  nameSearch?: string | undefined;
}

/** Options of `createAccessToken`. */
export interface AccessTokenOptions extends Pick<CallOptions, "signal"> {
  userId: string;
  /** Default: `"user"`. */
  role?: "user" | "admin" | undefined;
  /** Agents that the user may use; `[]` means none. Default: all. */
  agents?: readonly string[] | undefined;
  /** How long the token is valid, in seconds, 1 to 86400. Default: 3600. */
  expiresIn?: number | undefined;
}

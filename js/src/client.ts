import { blobs, checkSignal, newKey, optionsOf, plain } from "./arguments.js";
import { type OperationName, readAnswer } from "./bindings.js";
import { asText, checkCallbacks, checkFunction, dispatch, end, give, noCallbacks } from "./callbacks.js";
import { checkConfig } from "./config.js";
import { APIError, abortError, coreError } from "./errors.js";
import { type AnyCore, load } from "./load.js";
import type {
  AccessTokenOptions, CallOptions, ChatSDKConfig, CoreOptions, CreateChatOptions, ListDocumentsOptions, ListMemoriesOptions, ListPendingMemoriesOptions,
  ListUserMemoriesOptions, LogEntry, MemorySettingsOptions, RegenerateMessageOptions, ResumeStreamOptions, SendMessageOptions,
  SendMessageStreamOptions, StreamCallbacks, UploadDocumentOptions, WriteOptions,
} from "./options.js";
import { AnswerStream } from "./stream.js";
import type {
  AccessToken, Chat, ChatHistoryResponse, CreateChatResponse, DeleteUserMemoriesResponse, Document, ListAgentsResponse,
  ListChatsResponse, ListDocumentsResponse, ListMemoriesResponse, ListPendingMemoriesResponse, Memory, MemoryActionResponse, MemorySettings,
  MemorySettingsResponse, MemoryStats, SendMessageResponse, StopReceipt, UploadDocumentResponse,
} from "./types.js";

/** The build that a script tag loads, which has no place to import from. */
declare const SCRIPT: boolean;

/** The arguments of an operation, as an object. */
type Arguments = Record<string, unknown> & CallOptions;

/** The client as one running core knows it. */
interface Handle {
  core?: AnyCore;
  id?: number;
}

/** Frees the client of an SDK object that nobody holds any more. An older workerd has no such class. */
const handles = globalThis.FinalizationRegistry && new FinalizationRegistry<Handle>(({ core, id }) => {
  if (core !== undefined && id !== undefined && !core.dead) {
    core.bindings.freeClient(id);
  }
});

/**
 * The client of the service. Making one sends and loads nothing; the core loads
 * at the first call. Every method rejects with an {@link APIError} when the API
 * fails, and with a `TypeError` that names the argument when one is wrong, in
 * which case nothing was sent.
 */
export class ChatSDK {
  /**
   * Minifying would take it.
   *
   * @internal
   */
  static readonly name = "ChatSDK";
  /** The class of the API's failures. */
  static readonly APIError = APIError;

  readonly #config: ChatSDKConfig;
  readonly #handle: Handle = {};

  /**
   * Vue proxies what is a plain object by its tag, and a proxy has no private fields.
   *
   * @internal
   */
  get [Symbol.toStringTag](): string {
    return "ChatSDK";
  }

  /** Throws a `TypeError` that names the setting which is wrong. */
  constructor(config: ChatSDKConfig) {
    checkConfig(config);
    this.#config = { ...config };
    handles?.register(this, this.#handle);
  }

  /**
   * Loads the core ahead of the first call. It is loaded once for each address,
   * and again after a failure; with `wasmModule` there is nothing to load ahead.
   */
  static async preload(options: CoreOptions & CallOptions = {}): Promise<void> {
    await abortable("preload", options.signal, () => load(options));
  }

  /** Makes a chat. `name` is `"Untitled"` by default, and the first exchange then names it. */
  createChat(name?: string, documentKeys?: readonly string[], options?: CreateChatOptions): Promise<CreateChatResponse> {
    return this.#ask("createChat", { name, documentKeys }, options);
  }

  /** Gives a page of chats, newest activity first: 30 of them, or `limit`, 1 to 100. */
  listChats(cursor?: number, limit?: number, options?: CallOptions): Promise<ListChatsResponse> {
    return this.#ask("listChats", { cursor, limit }, options);
  }

  /** Goes through all chats, newest activity first, and asks for a page of `limit` when it needs one. */
  async *allChats(limit?: number, options?: CallOptions): AsyncGenerator<Chat, void, undefined> {
    for (let cursor: number | undefined; ; ) {
      const page = await this.listChats(cursor, limit, options);
      yield* page.chats;
      if (!page.next_cursor || page.next_cursor === cursor) {
        return;
      }
      cursor = page.next_cursor;
    }
  }

  /** Gives a chat with all its messages, oldest first. */
  async getChatHistory(chatId: string, options?: CallOptions): Promise<ChatHistoryResponse> {
    const history = await this.#ask<ChatHistoryResponse>("getChatHistory", { chatId }, options);
    history.messages?.forEach(asText);
    return history;
  }

  /** Deletes a chat and all its messages for good. */
  async deleteChat(chatId: string, options?: CallOptions): Promise<void> {
    await this.#call("deleteChat", { chatId }, options);
  }

  /** Changes the name that people see. */
  async updateChatName(chatId: string, newName: string, options?: CallOptions): Promise<void> {
    await this.#call("updateChatName", { chatId, newName }, options);
  }

  /** Sends a message and gives the whole answer. */
  async sendMessage(message: string, options?: SendMessageOptions): Promise<SendMessageResponse> {
    const { images, ...rest } = optionsOf("sendMessage", options);
    const answer = await this.#ask<SendMessageResponse>("sendMessage", { message }, rest, blobs("sendMessage", images));
    asText(answer.message);
    return answer;
  }

  /**
   * Sends a message and hands its answer to the callbacks as it comes. Resolves
   * when the stream has ended, after a failure too if there is an `onError`.
   * A connection that is lost is resumed where it broke.
   */
  async sendMessageStream(message: string, options?: SendMessageStreamOptions): Promise<void> {
    const { images, ...rest } = optionsOf("sendMessageStream", options);
    await this.#stream("sendMessageStream", { message }, rest, images);
  }

  /** Sends a message and gives its answer as an async iterable of events, with `stop()` and `result`. */
  stream(message: string, options?: SendMessageOptions): AnswerStream {
    const { images, signal, detachOnAbort, ...rest } = { ...options };
    const name = "sendMessageStream";
    const idempotencyKey = rest.idempotencyKey ?? newKey();
    let sent = false;
    return new AnswerStream({
      signal,
      detachOnAbort,
      // When it is given up, the stream itself sees to the answer.
      read: async (onEvents, reading) => {
        noCallbacks("stream", optionsOf("stream", options));
        await load(this.#config);
        if (reading.aborted) {
          throw abortError(reading);
        }
        sent = true;
        return this.#call(name, { message, idempotencyKey, detachOnAbort: true, signal: reading }, rest, blobs(name, images), onEvents);
      },
      stop: async (streamId) => {
        if (!sent) {
          throw new DOMException("the message was given up before it was sent", "AbortError");
        }
        return this.stop({ streamId, idempotencyKey });
      },
    });
  }

  /**
   * Has the last answer of a chat written anew, with the options of its
   * question. The new one takes the old one's place in the history when it is
   * complete or stopped. Otherwise like `sendMessageStream`.
   */
  async regenerateMessage(chatId: string, messageId: string, options?: RegenerateMessageOptions): Promise<void> {
    await this.#stream("regenerateMessage", { chatId, messageId }, options);
  }

  /**
   * Finds the answer that is being written in a chat, the last one where there
   * are several, and hands it to the callbacks from its first event to its end:
   * for a page that was loaded again. Tells whether there was one.
   */
  async resumeStream(chatId: string, options?: ResumeStreamOptions): Promise<boolean> {
    return (await this.#stream("resumeStream", { chatId }, options)) === "true";
  }

  /**
   * Stops an answer that is being written: that of the stream, or of the message
   * that was sent with the key. Resolves when it has ended.
   */
  async stop(answer: { streamId?: string | undefined; idempotencyKey?: string | undefined } & CallOptions): Promise<StopReceipt> {
    const receipt = await this.#ask<StopReceipt>("stop", {}, answer);
    asText(receipt.message);
    return receipt;
  }

  /** Rates an answer: `true` is thumbs up, `false` is thumbs down. A second rating replaces the first. */
  async sendFeedback(messageId: string, chatId: string, feedback: boolean, options?: CallOptions): Promise<void> {
    await this.#call("sendFeedback", { messageId, chatId, feedback }, options);
  }

  /** Gives the agents and models that the caller may use. */
  listAgents(options?: CallOptions): Promise<ListAgentsResponse> {
    return this.#ask("listAgents", {}, options);
  }

  /**
   * Uploads a file (plain text, Markdown, HTML or PDF) that answers may then
   * draw on. Resolves when it is stored; `listDocuments` tells when it has been read.
   */
  async uploadDocument(file: Blob, options?: UploadDocumentOptions): Promise<UploadDocumentResponse> {
    if (!(file instanceof Blob)) {
      throw new TypeError("uploadDocument: file is no File or Blob");
    }
    return this.#ask("uploadDocument", {}, options, [file]);
  }

  /** Gives a page of the documents that the caller may use, newest first. */
  listDocuments(options?: ListDocumentsOptions): Promise<ListDocumentsResponse> {
    return this.#ask("listDocuments", {}, options);
  }

  /** Gives the text of a document and its passages. */
  getDocument(documentKey: string, options?: CallOptions): Promise<Document> {
    return this.#ask("getDocument", { documentKey }, options);
  }

  /** Deletes a document for good. No later answer draws on it. */
  async deleteDocument(documentKey: string, options?: CallOptions): Promise<void> {
    await this.#call("deleteDocument", { documentKey }, options);
  }

  /** Gives the memory settings of an agent. */
  getMemorySettings(agentId: string, options?: CallOptions): Promise<MemorySettings> {
    return this.#ask("getMemorySettings", { agentId }, options);
  }

  /** Changes the settings that are given, and gives them all. Only an administrator of the agent may. */
  updateMemorySettings(agentId: string, settings: MemorySettingsOptions): Promise<MemorySettingsResponse> {
    return this.#ask("updateMemorySettings", { agentId }, settings);
  }

  /**
   * Gives the memories of an agent by user, newest first. Who is no
   * administrator of the agent gets their own alone.
   */
  listMemories(agentId: string, options?: ListMemoriesOptions): Promise<ListMemoriesResponse> {
    return this.#ask("listMemories", { agentId }, options);
  }

  /** Gives what an agent remembers of a user, newest first. */
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<Memory[]> {
    return this.#ask("listUserMemories", { agentId, userId }, options);
  }

  /** Gives the memories that wait for a review, newest first. */
  listPendingMemories(options?: ListPendingMemoriesOptions): Promise<ListPendingMemoriesResponse> {
    return this.#ask("listPendingMemories", {}, options);
  }

  /**
   * Brings a pending memory into use, for good, and takes those out of use that
   * it replaces. One that is decided or expired is an {@link APIError} with code
   * `"CONFLICT"`.
   */
  approveMemory(memoryId: string, options?: WriteOptions): Promise<MemoryActionResponse> {
    return this.#ask("approveMemory", { memoryId }, options);
  }

  /** Refuses a pending memory, for good. One that is decided or expired is an {@link APIError} with code `"CONFLICT"`. */
  rejectMemory(memoryId: string, options?: WriteOptions): Promise<MemoryActionResponse> {
    return this.#ask("rejectMemory", { memoryId }, options);
  }

  /** Deletes a memory of any status for good. */
  async deleteMemory(memoryId: string, options?: CallOptions): Promise<void> {
    await this.#call("deleteMemory", { memoryId }, options);
  }

  /** Counts the memories of an agent. Who is no administrator of the agent gets the counts of their own. */
  getMemoryStats(agentId: string, options?: CallOptions): Promise<MemoryStats> {
    return this.#ask("getMemoryStats", { agentId }, options);
  }

  /** Deletes all that an agent remembers of a user, for good. */
  deleteUserMemories(agentId: string, userId: string, options?: CallOptions): Promise<DeleteUserMemoriesResponse> {
    return this.#ask("deleteUserMemories", { agentId, userId }, options);
  }

  /**
   * On a server: mints an access token for a user, offline, signed with
   * `apiSecret`.
   */
  async createAccessToken(options: AccessTokenOptions): Promise<AccessToken> {
    return abortable("createAccessToken", options?.signal, async () => {
      const part: Promise<typeof import("./chatsdk.token.mjs")> = SCRIPT
        ? import(new URL("./chatsdk.token.mjs", import.meta.url).href)
        : import("./chatsdk.token.mjs");
      return (await part).mint(this.#config, { ...options });
    });
  }

  /** Runs an operation with callbacks. */
  async #stream(name: OperationName, args: Arguments, options?: CallOptions & StreamCallbacks, images?: unknown): Promise<string> {
    const callbacks = optionsOf(name, options);
    checkCallbacks(name, callbacks);
    let answer = "true";
    try {
      answer = await this.#call(name, args, callbacks, blobs(name, images), (events) => dispatch(events, callbacks));
    } catch (error) {
      if (!(error instanceof APIError)) {
        throw error;
      }
      if (callbacks.onError === undefined || callbacks.onError === null) {
        end(callbacks);
        throw error;
      }
      give(callbacks.onError, error);
    }
    if (answer === "true") {
      end(callbacks);
    }
    return answer;
  }

  async #ask<T>(name: OperationName, args: Arguments, options?: CallOptions, images?: readonly Blob[]): Promise<T> {
    const json = await this.#call(name, args, options, images);
    try {
      return readAnswer<T>(json);
    } catch (cause) {
      throw new APIError(`${name}: the answer cannot be read: malformed JSON`, { status: 0 }, { cause });
    }
  }

  async #call(
    name: OperationName, args: Arguments, options?: object, images?: readonly Blob[], onEvents?: (events: string) => void,
  ): Promise<string> {
    const key = name === "uploadDocument" ? "onProgress" : "onUploadProgress";
    const { signal, [key]: told, ...rest }: Arguments = { ...optionsOf(name, options), ...args };
    const json = plain(name, rest);
    checkFunction(name, key, told);
    const onProgress = told ? (sent: number, total: number) => give(() => told(sent, total), undefined) : undefined;
    return abortable(name, signal, async () => {
      const core = await load(this.#config);
      checkSignal(name, signal);
      return core.call(name, this.#client(core), json, images, onEvents, signal ?? undefined, onProgress);
    });
  }

  /** This SDK's client in the running core, which may be another one than before. */
  #client(core: AnyCore): number {
    const handle = this.#handle;
    if (handle.core !== core || handle.id === undefined) {
      const { wasmURL: _, wasmModule: __, worker: ___, dangerouslyAllowBrowser: ____, accessToken, logger, ...config } = this.#config;
      const made = core.bindings.newClient(
        plain("ChatSDK", typeof accessToken === "function" ? config : { ...config, accessToken }),
        typeof accessToken === "function" ? async () => accessToken() : undefined,
        logger ? (entry) => give(logger, JSON.parse(entry) as LogEntry) : undefined,
      );
      if (typeof made !== "number") {
        throw made ?? coreError("the core crashed");
      }
      Object.assign(handle, { core, id: made });
    }
    return handle.id ?? 0;
  }
}

/** Rejects at once when the signal is aborted, whatever the work does then. */
async function abortable<T>(name: string, signal: unknown, work: () => Promise<T>): Promise<T> {
  checkSignal(name, signal);
  if (signal === undefined || signal === null) {
    return work();
  }
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(abortError(signal));
    };
    signal.addEventListener("abort", abort, { once: true });
    work().then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

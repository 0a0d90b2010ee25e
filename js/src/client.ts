import { copied, newKey, optionsOf } from "./arguments.js";
import { asText, noCallbacks } from "./callbacks.js";
import { checkNames, configOf } from "./config.js";
import { Connection } from "./connection.js";
import { APIError, abortError, type Place, placeOf } from "./errors.js";
import { late } from "./late.js";
import { load, patienceOf } from "./load.js";
import type {
  AnswersOfMemoryResponse, ApproveMemoryOptions, CreateMemoryOptions, DecideMemoriesOptions, DecideMemoriesResponse, DeleteUserMemoriesResponse,
  GetMemoryStatsOptions, ListErasuresResponse, ListMemoriesOptions, ListMemoriesResponse, ListPendingMemoriesOptions, ListPendingMemoriesResponse,
  ListUserMemoriesOptions, ListUserMemoriesResponse, MemoriesOfSourceOptions, Memory, MemoryActionResponse, MemorySettings, MemorySettingsOptions,
  MemorySettingsResponse, MemoryStats, UpdateMemoryOptions, UserMemories,
} from "./memories.js";
import type {
  AccessTokenOptions, AnswerName, CallOptions, ChatSDKConfig, CoreOptions, CreateChatOptions, EditMessageOptions, GetChatHistoryOptions, GetDocumentOptions,
  ListDocumentsOptions, PageOptions, Paged, RegenerateMessageOptions, ResumeStreamOptions, SendMessageOptions, SendMessageStreamOptions, Unpaged,
  UploadDocumentOptions, WriteOptions,
} from "./options.js";
import { isMissing, run, withdrawn } from "./run.js";
import { AnswerStream } from "./stream.js";
import type { ApproveToolCallOptions, JSONSchema, ListToolCallsOptions, ListToolCallsResponse, ToolCall, ToolCallResponse } from "./tools.js";
import type {
  AccessToken, Chat, ChatHistoryResponse, CreateChatResponse, Document, ListAgentsResponse, ListChatsResponse,
  ListDocumentsResponse, Message, SelectBranchResponse, SendMessageResponse, StopReceipt, UploadDocumentResponse,
} from "./types.js";

/** The build for a script tag. A page with a script tag cannot import names from it. */
declare const SCRIPT: boolean;

/**
 * The client of the service. Creating one sends and loads nothing: the core loads
 * on the first call. Every method rejects with an {@link APIError} if the API
 * fails, and with a `TypeError` that names the argument if an argument is wrong; in that
 * case nothing was sent. `S` is the type of the schemas of its tools.
 */
export class ChatSDK<const S extends Record<string, JSONSchema> = Record<string, JSONSchema>> {
  /** @internal Keeps the name when the code is minified. */
  static readonly name = "ChatSDK";
  /** The class of the errors that the methods reject with. */
  static readonly APIError = APIError;

  readonly #connection: Connection;

  /**
   * Vue wraps objects with the tag "Object" in a proxy, and a proxy has no private fields.
   *
   * @internal
   */
  get [Symbol.toStringTag](): string {
    return "ChatSDK";
  }

  /** If a setting is wrong, throws a `TypeError` that names it. */
  constructor(config: ChatSDKConfig<S>) {
    this.#connection = new Connection(configOf(config), ChatSDK.prototype);
  }

  /**
   * Loads the core before the first call. The core is loaded once for each address,
   * and again after a failure. With `wasmModule` it does nothing.
   */
  static async preload(options: CoreOptions & CallOptions = {}): Promise<void> {
    await run("preload", placeOf(ChatSDK.preload), options, new Set(), async () => {
      checkNames("preload", optionsOf("preload", options), ["wasmURL", "wasmModule", "worker", "signal", "timeout", "maxRetries"]);
      return load(options);
    });
  }

  /**
   * Frees what the client holds in the page, and the core and its worker if no
   * other client uses them. Calls that are under way reject with an `AbortError`,
   * later calls with an `InvalidStateError`. The service still finishes the answers that
   * it is writing.
   */
  close(): void {
    this.#connection.close();
  }

  /** Creates a chat. `name` is `"Untitled"` by default; the first answer then gives the chat a name. */
  createChat(name?: string, documentKeys?: readonly string[], options?: CreateChatOptions): Promise<CreateChatResponse> {
    return this.#connection.call("createChat", { name, documentKeys }, options);
  }

  /** Returns a page of chats, newest activity first. `limit` is 1 to 100, by default 30. */
  listChats(cursor?: number, limit?: number, options?: CallOptions): Promise<ListChatsResponse> {
    return this.#connection.call("listChats", { cursor, limit }, options);
  }

  /** Iterates over all chats, newest activity first. It requests one page at a time, with `limit` chats (1 to 100, by default 30). */
  allChats(limit?: number, options?: CallOptions): AsyncGenerator<Chat, void, undefined> {
    return this.#pages(limit, options, placeOf(ChatSDK.prototype.allChats));
  }

  async *#pages(limit: number | undefined, options: CallOptions | undefined, here: Place): AsyncGenerator<Chat, void, undefined> {
    for (let cursor: number | undefined; ; ) {
      const page = await this.#connection.call<ListChatsResponse>("listChats", { cursor, limit }, options, { here, as: "allChats" });
      yield* page.chats;
      if (!page.next_cursor || page.next_cursor === cursor) {
        return;
      }
      cursor = page.next_cursor;
    }
  }

  /**
   * Returns a chat with the messages of its path, oldest first. Without a `limit` it reads page after page until it has all of them;
   * with one it reads one page. The options select other messages.
   */
  async getChatHistory(chatId: string, options?: GetChatHistoryOptions): Promise<ChatHistoryResponse> {
    const own = optionsOf("getChatHistory", options);
    const read = (from?: object) => this.#connection.call<ChatHistoryResponse>("getChatHistory", { chatId }, { ...own, ...from });
    const history = await read();
    const pages = [history.messages];
    for (let first = pages[0]?.[0]?.id; first && history.has_more && own.limit == null; ) {
      const { messages, has_more: hasMore } = await read({ before: first });
      if (messages[0]?.id === first) {
        break; // it does not know `before`, and would never come to an end
      }
      first = messages[0]?.id;
      pages.unshift(messages);
      history.has_more = hasMore;
    }
    history.messages = pages.flat();
    history.messages.forEach(asText);
    return history;
  }

  /** Returns a message of a chat. The message need not be on the chat's path. */
  async getMessage(chatId: string, messageId: string, options?: CallOptions): Promise<Message> {
    return asText(await this.#connection.call<Message>("getMessage", { chatId, messageId }, options));
  }

  /** Makes a chat's path go through a message, down to the newest message below it. Returns the id of the path's last message. */
  selectBranch(chatId: string, messageId: string, options?: WriteOptions): Promise<SelectBranchResponse> {
    return this.#connection.call("selectBranch", { chatId, messageId }, options);
  }

  /** Deletes a chat and all its messages for good. */
  deleteChat(chatId: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteChat", { chatId }, options);
  }

  /** Renames a chat. */
  updateChatName(chatId: string, newName: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("updateChatName", { chatId, newName }, options);
  }

  /** Sends a message and returns the whole answer. */
  async sendMessage(message: string, options?: SendMessageOptions): Promise<SendMessageResponse> {
    const answer = await this.#connection.call<SendMessageResponse>("sendMessage", { message }, options);
    asText(answer.message);
    return answer;
  }

  /**
   * Sends a message and passes its answer to the callbacks as it arrives. Resolves
   * when the stream has ended. After a failure it rejects, but if there is an `onError`
   * it calls that and resolves. If the connection is lost, the stream resumes where it broke.
   */
  async sendMessageStream(message: string, options?: SendMessageStreamOptions): Promise<void> {
    await this.#connection.stream("sendMessageStream", { message }, options);
  }

  /** Sends a message and returns its answer as an async iterable of events, with `stop()` and `result`. */
  stream(message: string, options?: SendMessageOptions): AnswerStream {
    const here = placeOf(ChatSDK.prototype.stream);
    const { signal, detachOnAbort, ...rest } = copied(options);
    const idempotencyKey = rest.idempotencyKey ?? newKey();
    let sent = false;
    return new AnswerStream({
      signal,
      detachOnAbort,
      // detachOnAbort is true here because AnswerStream itself stops the answer.
      read: (onEvents, reading) => this.#connection.run("stream", here, { signal: reading }, async () => {
        noCallbacks("stream", optionsOf("stream", options));
        await load(this.#connection.config);
        if (reading.aborted) {
          throw abortError(reading);
        }
        sent = true;
        await this.#connection.call("sendMessageStream", { message }, { ...rest, idempotencyKey, detachOnAbort: true, signal: reading }, {
          onEvents, here, as: "stream",
        });
      }),
      stop: async (streamId) => {
        if (!sent) {
          throw withdrawn();
        }
        try {
          return await this.stop({ streamId, idempotencyKey });
        } catch (error) {
          // The service knows the key only after it has received the whole message.
          throw streamId === undefined && isMissing(error) ? withdrawn() : error;
        }
      },
    });
  }

  /**
   * Sends another version of a question. The old version stays, and the chat's path leads to
   * the new one, which keeps the question's images unless you pass `images`. Otherwise like `sendMessageStream`.
   */
  async editMessage(chatId: string, messageId: string, message: string, options?: EditMessageOptions): Promise<void> {
    await this.#connection.stream("editMessage", { chatId, messageId, message }, options);
  }

  /**
   * Writes another version of an answer, with the options of its question. The old version
   * stays, and the chat's path leads to the new one. If the new one fails, or is stopped before
   * its first word, the path goes back to the old one. Otherwise like `sendMessageStream`.
   */
  async regenerateMessage(chatId: string, messageId: string, options?: RegenerateMessageOptions): Promise<void> {
    await this.#connection.stream("regenerateMessage", { chatId, messageId }, options);
  }

  /**
   * Finds an answer that is still being written in a chat, and passes it to the callbacks from
   * its first event to its end. Call it after a page has been reloaded. The answer is the one that
   * `messageId` names, by default the last one of the path. Resolves with whether there is such
   * an answer; after a failure that `onError` received, with whether there may be one.
   */
  resumeStream(chatId: string, options?: ResumeStreamOptions): Promise<boolean> {
    return this.#connection.stream("resumeStream", { chatId }, options);
  }

  /** Stops an answer. Name its stream, or the idempotency key that its message was sent with. Resolves when the answer has ended. */
  async stop(answer: AnswerName & CallOptions): Promise<StopReceipt> {
    const receipt = await this.#connection.call<StopReceipt>("stop", {}, answer);
    asText(receipt.message);
    return receipt;
  }

  /** Rates an answer: `true` is thumbs up, `false` is thumbs down. A second rating replaces the first. */
  sendFeedback(messageId: string, chatId: string, feedback: boolean, options?: CallOptions): Promise<void> {
    return this.#connection.call("sendFeedback", { messageId, chatId, feedback }, options);
  }

  /** Returns the agents and models that the caller may use. */
  listAgents(options?: CallOptions): Promise<ListAgentsResponse> {
    return this.#connection.call("listAgents", {}, options);
  }

  /**
   * Uploads a file (plain text, Markdown, HTML or PDF) as a source for answers.
   * Resolves when it is stored. `listDocuments` shows when the service has read it.
   */
  uploadDocument(file: Blob, options?: UploadDocumentOptions): Promise<UploadDocumentResponse> {
    return this.#connection.call("uploadDocument", {}, options, { files: [file] });
  }

  /** Returns a page of the documents that the caller may use, newest first. */
  listDocuments(options?: ListDocumentsOptions): Promise<ListDocumentsResponse> {
    return this.#connection.call("listDocuments", {}, options);
  }

  /** Returns the text of a document, or a part of it, and its passages. */
  getDocument(documentKey: string, options?: GetDocumentOptions): Promise<Document> {
    return this.#connection.call("getDocument", { documentKey }, options);
  }

  /** Deletes a document for good. No later answer uses it. */
  deleteDocument(documentKey: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteDocument", { documentKey }, options);
  }

  /** Returns the memory settings of an agent. */
  getMemorySettings(agentId: string, options?: CallOptions): Promise<MemorySettings> {
    return this.#connection.call("getMemorySettings", { agentId }, options);
  }

  /** Changes the settings that you pass, and returns all settings. Only for administrators of the agent. */
  updateMemorySettings(agentId: string, settings: MemorySettingsOptions): Promise<MemorySettingsResponse> {
    return this.#connection.call("updateMemorySettings", { agentId }, settings);
  }

  /** Returns the memories of an agent, grouped by user, newest first. Callers who do not administer the agent get only their own. */
  listMemories(agentId: string, options?: ListMemoriesOptions): Promise<ListMemoriesResponse> {
    return this.#connection.call("listMemories", { agentId }, options);
  }

  /**
   * Returns the memories of one user, newest first. With `cursor` or `limit` the result is a page.
   * Without them it is an array of at most 1,000, whose `has_more` is true if there are more.
   */
  listUserMemories(agentId: string, userId: string, options: ListUserMemoriesOptions & Paged): Promise<ListUserMemoriesResponse>;
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions & Unpaged): Promise<UserMemories>;
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<ListUserMemoriesResponse | UserMemories>;
  async listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<ListUserMemoriesResponse | UserMemories> {
    const page = await this.#connection.call<ListUserMemoriesResponse>("listUserMemories", { agentId, userId }, options);
    return options?.cursor ?? options?.limit ? page : Object.assign(page.memories, page.has_more && { has_more: true as const });
  }

  /** Returns the memories that are waiting for a review, newest first. */
  listPendingMemories(options?: ListPendingMemoriesOptions): Promise<ListPendingMemoriesResponse> {
    return this.#connection.call("listPendingMemories", {}, options);
  }

  /** Returns the memories that were detected in a message or a chat, grouped by user, newest first. A deleted chat has none. */
  memoriesOfSource(agentId: string, options: MemoriesOfSourceOptions): Promise<ListMemoriesResponse> {
    return this.#connection.call("memoriesOfSource", { agentId }, options);
  }

  /**
   * Approves a pending memory. Memories that it contradicts are no longer used. It also approves
   * a superseded memory again, once the memory that superseded it is no longer in use.
   * For any other memory it rejects with an {@link APIError} with code `"CONFLICT"`.
   */
  approveMemory(memoryId: string, options?: ApproveMemoryOptions): Promise<MemoryActionResponse> {
    return this.#connection.call("approveMemory", { memoryId }, options);
  }

  /** Rejects a pending memory for good. If it is already decided or has expired, the {@link APIError} has code `"CONFLICT"`. */
  rejectMemory(memoryId: string, options?: WriteOptions): Promise<MemoryActionResponse> {
    return this.#connection.call("rejectMemory", { memoryId }, options);
  }

  /** Approves or rejects up to 500 memories, and returns a result for each. If one cannot be decided, the others still are. */
  decideMemories(options: DecideMemoriesOptions): Promise<DecideMemoriesResponse> {
    return this.#connection.call("decideMemories", {}, options);
  }

  /**
   * Adds an approved memory for a user. Only for administrators of the agent. If a pending or
   * approved memory says the same, it rejects with an {@link APIError} with code `"CONFLICT"`.
   */
  createMemory(agentId: string, userId: string, memory: CreateMemoryOptions): Promise<Memory> {
    return this.#connection.call("createMemory", { agentId, userId }, memory);
  }

  /** Changes the text of a pending or approved memory, which keeps its first text as `original_content`. Only for the agent's administrators. */
  updateMemory(memoryId: string, memory: UpdateMemoryOptions): Promise<Memory> {
    return this.#connection.call("updateMemory", { memoryId }, memory);
  }

  /** Returns a page of the answers that had a memory in their prompt, newest first. Answers of deleted chats are not listed. */
  answersOfMemory(memoryId: string, options?: PageOptions): Promise<AnswersOfMemoryResponse> {
    return this.#connection.call("answersOfMemory", { memoryId }, options);
  }

  /** Returns a page of receipts for the deletions of an agent's memories, newest first. Only for administrators of the agent. */
  listErasures(agentId: string, options?: PageOptions): Promise<ListErasuresResponse> {
    return this.#connection.call("listErasures", { agentId }, options);
  }

  /** Deletes a memory of any status for good. */
  deleteMemory(memoryId: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteMemory", { memoryId }, options);
  }

  /**
   * Counts the memories of an agent. For one user it also returns how much of the prompt they take.
   * Callers who do not administer the agent get only the counts of their own memories.
   */
  getMemoryStats(agentId: string, options?: GetMemoryStatsOptions): Promise<MemoryStats> {
    return this.#connection.call("getMemoryStats", { agentId }, options);
  }

  /** Deletes all memories that an agent has of a user, for good. */
  deleteUserMemories(agentId: string, userId: string, options?: CallOptions): Promise<DeleteUserMemoriesResponse> {
    return this.#connection.call("deleteUserMemories", { agentId, userId }, options);
  }

  /** Returns a page of the tool calls that the caller may see, newest first. */
  listToolCalls(options?: ListToolCallsOptions): Promise<ListToolCallsResponse> {
    return this.#connection.call("listToolCalls", {}, options);
  }

  /** Returns a tool call with its whole result. */
  getToolCall(callId: string, options?: CallOptions): Promise<ToolCall> {
    return this.#connection.call("getToolCall", { callId }, options);
  }

  /**
   * Approves a tool call that is waiting for a decision. The call is then carried out once.
   * If it is already decided or has expired, the {@link APIError} has code `"CONFLICT"`.
   */
  approveToolCall(callId: string, options?: ApproveToolCallOptions): Promise<ToolCallResponse> {
    return this.#connection.call("approveToolCall", { callId }, options);
  }

  /**
   * Denies, for good, a tool call that is waiting for a decision. The model gets the reason.
   * If it is already decided or has expired, the {@link APIError} has code `"CONFLICT"`.
   */
  denyToolCall(callId: string, reason?: string, options?: WriteOptions): Promise<ToolCallResponse> {
    return this.#connection.call("denyToolCall", { callId, reason }, options);
  }

  /** For servers: creates an access token for a user, signed with `apiSecret`. It sends no request. */
  createAccessToken(options: AccessTokenOptions): Promise<AccessToken> {
    return this.#connection.run("createAccessToken", placeOf(ChatSDK.prototype.createAccessToken), options, async () => {
      const { config } = this.#connection;
      const part = await late<typeof import("./chatsdk.token.mjs")>(
        "token", AbortSignal.timeout(patienceOf(config)), SCRIPT ? undefined : () => import("./chatsdk.token.mjs"),
      );
      return part.mint(config, optionsOf("createAccessToken", options) as AccessTokenOptions);
    });
  }
}

import type { AnswerMethods } from "./answer-methods.js";
import { copied, newKey, optionsOf } from "./arguments.js";
import type { CallMethods } from "./call-methods.js";
import { asText, noCallbacks } from "./callbacks.js";
import type { ChatMethods } from "./chat-methods.js";
import { checkNames, configOf } from "./config.js";
import { Connection } from "./connection.js";
import type { DocumentMethods } from "./document-methods.js";
import { APIError, abortError, type Place, placeOf } from "./errors.js";
import { late } from "./late.js";
import { load, patienceOf } from "./load.js";
import type {
  AnswersOfMemoryResponse, ApproveMemoryOptions, CreateMemoryOptions, DecideMemoriesOptions, DecideMemoriesResponse, DeleteUserMemoriesResponse,
  GetMemoryStatsOptions, ListErasuresResponse, ListMemoriesOptions, ListMemoriesResponse, ListPendingMemoriesOptions, ListPendingMemoriesResponse,
  ListUserMemoriesOptions, ListUserMemoriesResponse, MemoriesOfSourceOptions, Memory, MemoryActionResponse, MemorySettings, MemorySettingsOptions,
  MemorySettingsResponse, MemoryStats, UpdateMemoryOptions, UserMemories,
} from "./memories.js";
import type { MemoryMethods } from "./memory-methods.js";
import { disposable } from "./native.js";
import type {
  AccessTokenOptions, AnswerName, CallOptions, ChatSDKConfig, CoreOptions, CreateChatOptions, EditMessageOptions, GetChatHistoryOptions, GetDocumentOptions,
  ListDocumentsOptions, PageOptions, Paged, RegenerateMessageOptions, ResumeStreamOptions, SendMessageOptions, SendMessageStreamOptions, Unpaged,
  UploadDocumentOptions, WriteOptions,
} from "./options.js";
import { isMissing, run, withdrawn } from "./method.js";
import { AnswerStream } from "./stream.js";
import type { ApproveToolCallOptions, JSONSchema, ListToolCallsOptions, ListToolCallsResponse, ToolCall, ToolCallResponse } from "./tools.js";
import type {
  AccessToken, Chat, ChatHistoryResponse, CreateChatResponse, Document, ListAgentsResponse, ListChatsResponse,
  ListDocumentsResponse, Message, SelectBranchResponse, SendMessageResponse, StopReceipt, UploadDocumentResponse,
} from "./types.js";

/**
 * The client of the service. Creating one sends and loads nothing: the core loads
 * on the first call. Every method rejects with an {@link APIError} if the API
 * fails, and with a `TypeError` that names the argument if an argument is wrong; in that
 * case nothing was sent. `S` is the type of the schemas of its tools.
 *
 * The interfaces that it implements describe its methods.
 */
export class ChatSDK<const S extends Record<string, JSONSchema> = Record<string, JSONSchema>>
  implements ChatMethods, AnswerMethods, DocumentMethods, MemoryMethods, CallMethods {
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

  /**
   * `using sdk = new ChatSDK(…)` closes the client at the end of its block.
   *
   * @throws Nothing.
   * @example
   * ```ts
   * using client = new ChatSDK({ baseUrl, projectId, accessToken });
   * await client.sendMessage("Where should we go?");
   * ```
   */
  declare readonly [Symbol.dispose]: () => void;

  /**
   * `await using sdk = new ChatSDK(…)` closes the client at the end of its block.
   *
   * @throws Nothing.
   * @example
   * ```ts
   * await using client = new ChatSDK({ baseUrl, projectId, accessToken });
   * await client.sendMessage("Where should we go?");
   * ```
   */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  /**
   * @param config How to reach the service, and as whom.
   * @throws {TypeError} If a setting is wrong. It names the setting.
   * @example
   * ```ts
   * const sdk = new ChatSDK({
   *   baseUrl: "https://api.example.com",
   *   projectId: "demo",
   *   accessToken: async () => (await fetch("/token", { method: "POST" })).text(),
   * });
   * ```
   */
  constructor(config: ChatSDKConfig<S>) {
    this.#connection = new Connection(configOf(config), ChatSDK.prototype);
    disposable(this, async () => this.close());
  }

  /**
   * Loads the core before the first call. The core is loaded once for each address,
   * and again after a failure. With `wasmModule` it does nothing.
   *
   * @param options Where the core comes from, as in the client's settings, and `signal`, `timeout` and `maxRetries`.
   * @throws {APIError} `NETWORK` or `TIMEOUT` if a file does not arrive, `INTERNAL` if the core cannot run here.
   * @example
   * ```ts
   * await ChatSDK.preload({ wasmURL: "/assets/chatsdk.wasm" });
   * ```
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
   *
   * @throws Nothing.
   * @example
   * ```ts
   * sdk.close();
   * ```
   */
  close(): void {
    this.#connection.close();
  }

  createChat(name?: string, documentKeys?: readonly string[], options?: CreateChatOptions): Promise<CreateChatResponse> {
    return this.#connection.call("createChat", { name, documentKeys }, options);
  }

  listChats(cursor?: number, limit?: number, options?: CallOptions): Promise<ListChatsResponse> {
    return this.#connection.call("listChats", { cursor, limit }, options);
  }

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

  async getMessage(chatId: string, messageId: string, options?: CallOptions): Promise<Message> {
    return asText(await this.#connection.call<Message>("getMessage", { chatId, messageId }, options));
  }

  selectBranch(chatId: string, messageId: string, options?: WriteOptions): Promise<SelectBranchResponse> {
    return this.#connection.call("selectBranch", { chatId, messageId }, options);
  }

  deleteChat(chatId: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteChat", { chatId }, options);
  }

  updateChatName(chatId: string, newName: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("updateChatName", { chatId, newName }, options);
  }

  async sendMessage(message: string, options?: SendMessageOptions): Promise<SendMessageResponse> {
    const answer = await this.#connection.call<SendMessageResponse>("sendMessage", { message }, options);
    asText(answer.message);
    return answer;
  }

  async sendMessageStream(message: string, options?: SendMessageStreamOptions): Promise<void> {
    await this.#connection.stream("sendMessageStream", { message }, options);
  }

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

  async editMessage(chatId: string, messageId: string, message: string, options?: EditMessageOptions): Promise<void> {
    await this.#connection.stream("editMessage", { chatId, messageId, message }, options);
  }

  async regenerateMessage(chatId: string, messageId: string, options?: RegenerateMessageOptions): Promise<void> {
    await this.#connection.stream("regenerateMessage", { chatId, messageId }, options);
  }

  resumeStream(chatId: string, options?: ResumeStreamOptions): Promise<boolean> {
    return this.#connection.stream("resumeStream", { chatId }, options);
  }

  async stop(answer: AnswerName & CallOptions): Promise<StopReceipt> {
    const receipt = await this.#connection.call<StopReceipt>("stop", {}, answer);
    asText(receipt.message);
    return receipt;
  }

  sendFeedback(messageId: string, chatId: string, feedback: boolean, options?: CallOptions): Promise<void> {
    return this.#connection.call("sendFeedback", { messageId, chatId, feedback }, options);
  }

  listAgents(options?: CallOptions): Promise<ListAgentsResponse> {
    return this.#connection.call("listAgents", {}, options);
  }

  uploadDocument(file: Blob, options?: UploadDocumentOptions): Promise<UploadDocumentResponse> {
    return this.#connection.call("uploadDocument", {}, options, { files: [file] });
  }

  listDocuments(options?: ListDocumentsOptions): Promise<ListDocumentsResponse> {
    return this.#connection.call("listDocuments", {}, options);
  }

  getDocument(documentKey: string, options?: GetDocumentOptions): Promise<Document> {
    return this.#connection.call("getDocument", { documentKey }, options);
  }

  deleteDocument(documentKey: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteDocument", { documentKey }, options);
  }

  getMemorySettings(agentId: string, options?: CallOptions): Promise<MemorySettings> {
    return this.#connection.call("getMemorySettings", { agentId }, options);
  }

  updateMemorySettings(agentId: string, settings: MemorySettingsOptions): Promise<MemorySettingsResponse> {
    return this.#connection.call("updateMemorySettings", { agentId }, settings);
  }

  listMemories(agentId: string, options?: ListMemoriesOptions): Promise<ListMemoriesResponse> {
    return this.#connection.call("listMemories", { agentId }, options);
  }

  listUserMemories(agentId: string, userId: string, options: ListUserMemoriesOptions & Paged): Promise<ListUserMemoriesResponse>;
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions & Unpaged): Promise<UserMemories>;
  listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<ListUserMemoriesResponse | UserMemories>;
  async listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<ListUserMemoriesResponse | UserMemories> {
    const page = await this.#connection.call<ListUserMemoriesResponse>("listUserMemories", { agentId, userId }, options);
    return options?.cursor ?? options?.limit ? page : Object.assign(page.memories, page.has_more && { has_more: true as const });
  }

  listPendingMemories(options?: ListPendingMemoriesOptions): Promise<ListPendingMemoriesResponse> {
    return this.#connection.call("listPendingMemories", {}, options);
  }

  memoriesOfSource(agentId: string, options: MemoriesOfSourceOptions): Promise<ListMemoriesResponse> {
    return this.#connection.call("memoriesOfSource", { agentId }, options);
  }

  approveMemory(memoryId: string, options?: ApproveMemoryOptions): Promise<MemoryActionResponse> {
    return this.#connection.call("approveMemory", { memoryId }, options);
  }

  rejectMemory(memoryId: string, options?: WriteOptions): Promise<MemoryActionResponse> {
    return this.#connection.call("rejectMemory", { memoryId }, options);
  }

  decideMemories(options: DecideMemoriesOptions): Promise<DecideMemoriesResponse> {
    return this.#connection.call("decideMemories", {}, options);
  }

  createMemory(agentId: string, userId: string, memory: CreateMemoryOptions): Promise<Memory> {
    return this.#connection.call("createMemory", { agentId, userId }, memory);
  }

  updateMemory(memoryId: string, memory: UpdateMemoryOptions): Promise<Memory> {
    return this.#connection.call("updateMemory", { memoryId }, memory);
  }

  answersOfMemory(memoryId: string, options?: PageOptions): Promise<AnswersOfMemoryResponse> {
    return this.#connection.call("answersOfMemory", { memoryId }, options);
  }

  listErasures(agentId: string, options?: PageOptions): Promise<ListErasuresResponse> {
    return this.#connection.call("listErasures", { agentId }, options);
  }

  deleteMemory(memoryId: string, options?: CallOptions): Promise<void> {
    return this.#connection.call("deleteMemory", { memoryId }, options);
  }

  getMemoryStats(agentId: string, options?: GetMemoryStatsOptions): Promise<MemoryStats> {
    return this.#connection.call("getMemoryStats", { agentId }, options);
  }

  deleteUserMemories(agentId: string, userId: string, options?: CallOptions): Promise<DeleteUserMemoriesResponse> {
    return this.#connection.call("deleteUserMemories", { agentId, userId }, options);
  }

  listToolCalls(options?: ListToolCallsOptions): Promise<ListToolCallsResponse> {
    return this.#connection.call("listToolCalls", {}, options);
  }

  getToolCall(callId: string, options?: CallOptions): Promise<ToolCall> {
    return this.#connection.call("getToolCall", { callId }, options);
  }

  approveToolCall(callId: string, options?: ApproveToolCallOptions): Promise<ToolCallResponse> {
    return this.#connection.call("approveToolCall", { callId }, options);
  }

  denyToolCall(callId: string, reason?: string, options?: WriteOptions): Promise<ToolCallResponse> {
    return this.#connection.call("denyToolCall", { callId, reason }, options);
  }

  /**
   * For servers: creates an access token for a user, signed with `apiSecret`. It sends no request.
   *
   * @param options The user, the role, the agents, and how long the token is valid.
   * @throws {TypeError} If the client has no `apiSecret`, or an option is wrong.
   * @example
   * ```ts
   * const server = new ChatSDK({ baseUrl, projectId, apiKey, apiSecret });
   * const { access_token: token } = await server.createAccessToken({ userId: "ana", expiresIn: 600 });
   * console.log(token);
   * ```
   */
  createAccessToken(options: AccessTokenOptions): Promise<AccessToken> {
    return this.#connection.run("createAccessToken", placeOf(ChatSDK.prototype.createAccessToken), options, async () => {
      const { config } = this.#connection;
      const part = await late<typeof import("./token.js")>(
        "token", AbortSignal.timeout(patienceOf(config)), SCRIPT ? undefined : () => import("./chatsdk.token.mjs"),
      );
      return part.mint(config, optionsOf("createAccessToken", options) as AccessTokenOptions);
    });
  }
}

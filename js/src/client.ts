import { type OperationName, readAnswer, readEvents } from "./bindings.js";
import { checkConfig } from "./config.js";
import { APIError, coreError } from "./errors.js";
import { type Core, load } from "./load.js";
import type {
  AccessToken, AccessTokenOptions, Chat, ChatHistoryResponse, ChatSDKConfig, CreateChatOptions, CreateChatResponse,
  DeleteUserMemoriesResponse, ListAgentsResponse, ListChatsResponse, ListMemoriesOptions, ListMemoriesResponse,
  ListPendingMemoriesOptions, ListPendingMemoriesResponse, ListUserMemoriesOptions, Memory, MemoryActionResponse,
  MemorySettings, MemorySettingsOptions, MemorySettingsResponse, MemoryStats, Message, SendMessageOptions,
  SendMessageResponse, SendMessageStreamOptions, StreamCallbacks,
} from "./types.js";

/** The client as one running core knows it. */
interface Handle {
  core?: Core;
  id?: number;
}

/** Frees the client of an SDK object that nobody holds any more. */
const handles = new FinalizationRegistry<Handle>(({ core, id }) => {
  if (core !== undefined && id !== undefined && !core.dead) {
    core.bindings.freeClient(id);
  }
});

const callbackNames = [
  "onChunk", "onMessageObject", "onComplete", "onError", "onChatNameUpdate", "onDocumentChunk", "onMessageEnd",
] as const satisfies readonly (keyof StreamCallbacks)[];

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

  /** Throws a `TypeError` that names the setting which is wrong. */
  constructor(config: ChatSDKConfig) {
    checkConfig(config);
    this.#config = { ...config };
    handles.register(this, this.#handle);
  }

  /**
   * Loads the core ahead of the first call. It is loaded once for each address,
   * and again after a failure.
   */
  static async preload(options: { wasmURL?: string | URL | undefined } = {}): Promise<void> {
    await load(options.wasmURL);
  }

  /** Makes a chat. `name` is `"Untitled"` by default, and the first exchange then names it. */
  async createChat(name?: string, documentKeys?: readonly string[], options?: CreateChatOptions): Promise<CreateChatResponse> {
    return this.#ask("createChat", { ...options, name, documentKeys });
  }

  /** Gives a page of chats, newest activity first: 30 of them, or `limit`, 1 to 100. */
  async listChats(cursor?: number, limit?: number): Promise<ListChatsResponse> {
    return this.#ask("listChats", { cursor, limit });
  }

  /** Goes through all chats, newest activity first, and asks for a page of `limit` when it needs one. */
  async *allChats(limit?: number): AsyncGenerator<Chat, void, undefined> {
    for (let cursor: number | undefined; ; ) {
      const page = await this.listChats(cursor, limit);
      yield* page.chats;
      if (!page.next_cursor || page.next_cursor === cursor) {
        return;
      }
      cursor = page.next_cursor;
    }
  }

  /** Gives a chat with all its messages, oldest first. */
  async getChatHistory(chatId: string): Promise<ChatHistoryResponse> {
    const history = await this.#ask<ChatHistoryResponse>("getChatHistory", { chatId });
    history.messages?.forEach(asText);
    return history;
  }

  /** Deletes a chat and all its messages for good. */
  async deleteChat(chatId: string): Promise<void> {
    await this.#call("deleteChat", { chatId });
  }

  /** Changes the name that people see. */
  async updateChatName(chatId: string, newName: string): Promise<void> {
    await this.#call("updateChatName", { chatId, newName });
  }

  /** Sends a message and gives the whole answer. */
  async sendMessage(message: string, options?: SendMessageOptions): Promise<SendMessageResponse> {
    const { images, ...rest } = { ...options };
    const answer = await this.#ask<SendMessageResponse>("sendMessage", { ...rest, message }, blobs("sendMessage", images));
    asText(answer.message);
    return answer;
  }

  /**
   * Sends a message and hands its answer to the callbacks as it comes. Resolves
   * when the stream has ended, after a failure too if there is an `onError`.
   */
  async sendMessageStream(message: string, options?: SendMessageStreamOptions): Promise<void> {
    const { images, ...rest } = { ...options };
    const name = "sendMessageStream";
    checkCallbacks(name, rest);
    try {
      await this.#call(name, { ...rest, message }, blobs(name, images), (events) => dispatch(events, rest));
    } catch (error) {
      if (!(error instanceof APIError)) {
        throw error;
      }
      if (rest.onError === undefined || rest.onError === null) {
        end(rest);
        throw error;
      }
      give(rest.onError, error);
    }
    end(rest);
  }

  /** Rates an answer: `true` is thumbs up, `false` is thumbs down. A second rating replaces the first. */
  async sendFeedback(messageId: string, chatId: string, feedback: boolean): Promise<void> {
    await this.#call("sendFeedback", { messageId, chatId, feedback });
  }

  /** Gives the agents and models that the caller may use. */
  async listAgents(): Promise<ListAgentsResponse> {
    return this.#ask("listAgents", {});
  }

  /** Gives the memory settings of an agent. */
  async getMemorySettings(agentId: string): Promise<MemorySettings> {
    return this.#ask("getMemorySettings", { agentId });
  }

  /** Changes the settings that are given, and gives them all. Only an administrator of the agent may. */
  async updateMemorySettings(agentId: string, settings: MemorySettingsOptions): Promise<MemorySettingsResponse> {
    return this.#ask("updateMemorySettings", { ...settings, agentId });
  }

  /**
   * Gives the memories of an agent by user, newest first. Who is no
   * administrator of the agent gets their own alone.
   */
  async listMemories(agentId: string, options?: ListMemoriesOptions): Promise<ListMemoriesResponse> {
    return this.#ask("listMemories", { ...options, agentId });
  }

  /** Gives what an agent remembers of a user, newest first. */
  async listUserMemories(agentId: string, userId: string, options?: ListUserMemoriesOptions): Promise<Memory[]> {
    return this.#ask("listUserMemories", { ...options, agentId, userId });
  }

  /** Gives the memories that wait for a review, newest first. */
  async listPendingMemories(options?: ListPendingMemoriesOptions): Promise<ListPendingMemoriesResponse> {
    return this.#ask("listPendingMemories", { ...options });
  }

  /**
   * Brings a pending memory into use, for good, and takes those out of use that
   * it replaces. One that is decided or expired is an {@link APIError} with code
   * `"CONFLICT"`.
   */
  async approveMemory(memoryId: string): Promise<MemoryActionResponse> {
    return this.#ask("approveMemory", { memoryId });
  }

  /** Refuses a pending memory, for good. One that is decided or expired is an {@link APIError} with code `"CONFLICT"`. */
  async rejectMemory(memoryId: string): Promise<MemoryActionResponse> {
    return this.#ask("rejectMemory", { memoryId });
  }

  /** Deletes a memory of any status for good. */
  async deleteMemory(memoryId: string): Promise<void> {
    await this.#call("deleteMemory", { memoryId });
  }

  /** Counts the memories of an agent. Who is no administrator of the agent gets the counts of their own. */
  async getMemoryStats(agentId: string): Promise<MemoryStats> {
    return this.#ask("getMemoryStats", { agentId });
  }

  /** Deletes all that an agent remembers of a user, for good. */
  async deleteUserMemories(agentId: string, userId: string): Promise<DeleteUserMemoriesResponse> {
    return this.#ask("deleteUserMemories", { agentId, userId });
  }

  /**
   * On a server: mints an access token for a user, offline, signed with
   * `apiSecret`.
   */
  async createAccessToken(options: AccessTokenOptions): Promise<AccessToken> {
    return this.#ask("createAccessToken", { ...options });
  }

  async #ask<T>(name: OperationName, args: object, images?: readonly Blob[]): Promise<T> {
    const json = await this.#call(name, args, images);
    try {
      return readAnswer<T>(json);
    } catch (cause) {
      throw new APIError(`${name}: the answer cannot be read: malformed JSON`, { status: 0 }, { cause });
    }
  }

  async #call(name: OperationName, args: object, images?: readonly Blob[], onEvents?: (events: string) => void): Promise<string> {
    const json = plain(name, args);
    const core = await load(this.#config.wasmURL);
    return core.call(name, this.#client(core), json, images, onEvents);
  }

  /** This SDK's client in the running core, which may be another one than before. */
  #client(core: Core): number {
    const handle = this.#handle;
    if (handle.core !== core || handle.id === undefined) {
      const { wasmURL: _, dangerouslyAllowBrowser: __, accessToken, ...config } = this.#config;
      const made = core.bindings.newClient(
        plain("ChatSDK", typeof accessToken === "function" ? config : { ...config, accessToken }),
        typeof accessToken === "function" ? async () => accessToken() : undefined,
      );
      if (typeof made !== "number") {
        throw made ?? coreError("the core crashed");
      }
      Object.assign(handle, { core, id: made });
    }
    return handle.id ?? 0;
  }
}

/**
 * Turns arguments into JSON before they reach Go, through which a getter that
 * throws would unwind. Functions stand as `true`, so that an unknown one is noticed.
 */
function plain(name: string, args: object): string {
  const members = Object.entries(args).flatMap(([key, value]: [string, unknown]) => {
    const json = member(name, key, typeof value === "function" ? true : value);
    return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
  });
  return `{${members.join()}}`;
}

/** One argument as JSON; what JSON would change or leave out in silence is an error. */
function member(name: string, key: string, value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === "function" || typeof part === "symbol" || (typeof part === "number" && !Number.isFinite(part))) {
        throw new TypeError(`JSON has no ${typeof part === "number" ? part : typeof part}`);
      }
      return part;
    });
  } catch (cause) {
    throw new TypeError(`${name}: ${key} cannot be sent: ${cause instanceof Error ? cause.message : "reading it throws"}`, { cause });
  }
}

function checkCallbacks(name: string, callbacks: StreamCallbacks): void {
  for (const key of callbackNames) {
    if (callbacks[key] !== undefined && callbacks[key] !== null && typeof callbacks[key] !== "function") {
      throw new TypeError(`${name}: ${key} is a ${typeof callbacks[key]}, want a function`);
    }
  }
}

function blobs(name: string, images: unknown): readonly Blob[] | undefined {
  if (images === undefined || images === null) {
    return undefined;
  }
  if (!Array.isArray(images) || !images.every((image): image is Blob => image instanceof Blob)) {
    throw new TypeError(`${name}: images is no array of File or Blob objects`);
  }
  return images;
}

/** Hands events to their callbacks, one each and in order. The end is the call's to tell. */
function dispatch(json: string, callbacks: StreamCallbacks): void {
  for (const event of readEvents(json)) {
    switch (event[0]) {
      case "chunk":
        give(callbacks.onChunk, event[1]);
        break;
      case "document_chunk":
        give(callbacks.onDocumentChunk, event[1]);
        break;
      case "chat_name":
        give(callbacks.onChatNameUpdate, event[1]);
        break;
      case "message_object":
        give(callbacks.onMessageObject, event[1]);
        break;
      case "complete":
        give(callbacks.onComplete, asText(event[1]));
        break;
    }
  }
}

/** Runs a callback. What it throws is reported and ends nothing. */
function give<T>(callback: ((value: T) => void) | null | undefined, value: T): void {
  try {
    callback?.(value);
  } catch (error) {
    if (typeof reportError === "function") {
      reportError(error);
    } else {
      console.error(error);
    }
  }
}

/** Tells that the stream is over, without an argument. */
function end(callbacks: StreamCallbacks): void {
  give(() => callbacks.onMessageEnd?.(), undefined);
}

/** Lets a message be used as its text. The method stays out of copies, so that they are plain data. */
function asText(message: Message): Message {
  return Object.defineProperty(message, "toString", {
    value(this: Message) {
      return this.content;
    },
    configurable: true,
    writable: true,
  });
}

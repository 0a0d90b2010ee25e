import type { CallOptions, CreateChatOptions, GetChatHistoryOptions, WriteOptions } from "./options.js";
import type { Chat, ChatHistoryResponse, CreateChatResponse, ListAgentsResponse, ListChatsResponse, Message, SelectBranchResponse } from "./types.js";

/** The methods of a ChatSDK for chats, their messages and their branches. */
export interface ChatMethods {
  /**
   * Creates a chat.
   *
   * @param name The chat's name. Default: `"Untitled"`, until the first answer gives the chat a name.
   * @param documentKeys The documents that its messages search. Default: none of its own.
   * @param options The chat's metadata, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if there is no such document, `QUOTA_EXCEEDED` if the user has as many chats as allowed.
   * @example
   * ```ts
   * const { chat_id: chatId } = await sdk.createChat("Travel");
   * await sdk.sendMessage("Where should we go?", { chatId });
   * ```
   */
  createChat(name?: string, documentKeys?: readonly string[], options?: CreateChatOptions): Promise<CreateChatResponse>;

  /**
   * Returns a page of chats, newest activity first.
   *
   * @param cursor The `next_cursor` of the previous page. Default: the first page.
   * @param limit The most chats on a page, 1 to 100. Default: 30.
   * @param options The options of a call.
   * @throws {APIError} `VALIDATION_ERROR` if no page gave this cursor.
   * @example
   * ```ts
   * const { chats, next_cursor: next } = await sdk.listChats();
   * const older = next ? await sdk.listChats(next) : undefined;
   * console.log(chats.length, older?.chats.length);
   * ```
   */
  listChats(cursor?: number, limit?: number, options?: CallOptions): Promise<ListChatsResponse>;

  /**
   * Iterates over all chats, newest activity first. It requests one page at a time, when the page before has been read.
   *
   * @param limit The most chats on a page, 1 to 100. Default: 30.
   * @param options The options of each call.
   * @throws {APIError} The failure of a page, from `next()`: `for await` throws it.
   * @example
   * ```ts
   * for await (const { chat_id, name } of sdk.allChats()) {
   *   console.log(chat_id, name);
   * }
   * ```
   */
  allChats(limit?: number, options?: CallOptions): AsyncGenerator<Chat, void, undefined>;

  /**
   * Returns a chat with the messages of its path, oldest first. Without a `limit` it reads page after page until it has all of them;
   * with one it reads one page. The options select other messages.
   *
   * @param chatId The id of the chat.
   * @param options Which messages to get, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat, or the chat no such message.
   * @example
   * ```ts
   * const { messages } = await sdk.getChatHistory(chatId);
   * const running = messages.find((message) => message.role === "assistant" && !message.finish_reason);
   * console.log(messages.length, running?.id);
   * ```
   */
  getChatHistory(chatId: string, options?: GetChatHistoryOptions): Promise<ChatHistoryResponse>;

  /**
   * Returns a message of a chat. The message need not be on the chat's path.
   *
   * @param chatId The id of the chat.
   * @param messageId The id of the message.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat, or the chat no such message.
   * @example
   * ```ts
   * const message = await sdk.getMessage(chatId, messageId);
   * console.log(`${message.role}: ${message.content}`);
   * ```
   */
  getMessage(chatId: string, messageId: string, options?: CallOptions): Promise<Message>;

  /**
   * Makes a chat's path go through a message, down to the newest message below it. Returns the id of the path's last message.
   *
   * @param chatId The id of the chat.
   * @param messageId The id of the message, one of the `siblings` of a message on the path.
   * @param options The options of a call that counts once.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat, or the chat no such message.
   * @example
   * ```ts
   * const { siblings = [] } = await sdk.getMessage(chatId, messageId);
   * if (siblings[0]) await sdk.selectBranch(chatId, siblings[0]); // shows the first version
   * ```
   */
  selectBranch(chatId: string, messageId: string, options?: WriteOptions): Promise<SelectBranchResponse>;

  /**
   * Deletes a chat and all its messages for good.
   *
   * @param chatId The id of the chat.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat.
   * @example
   * ```ts
   * await sdk.deleteChat(chatId);
   * ```
   */
  deleteChat(chatId: string, options?: CallOptions): Promise<void>;

  /**
   * Renames a chat.
   *
   * @param chatId The id of the chat.
   * @param newName Its new name.
   * @param options The options of a call. It is sent once, so that it cannot undo a later name.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat, `VALIDATION_ERROR` if the name is blank or too long.
   * @example
   * ```ts
   * await sdk.updateChatName(chatId, "Lyon in May");
   * ```
   */
  updateChatName(chatId: string, newName: string, options?: CallOptions): Promise<void>;

  /**
   * Rates an answer. A second rating replaces the first.
   *
   * @param messageId The id of the answer.
   * @param chatId The id of its chat.
   * @param feedback `true` is thumbs up, `false` is thumbs down.
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat, or the chat no such answer.
   * @example
   * ```ts
   * await sdk.sendFeedback(messageId, chatId, true);
   * ```
   */
  sendFeedback(messageId: string, chatId: string, feedback: boolean, options?: CallOptions): Promise<void>;

  /**
   * Returns the agents and models that the caller may use.
   *
   * @param options The options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the service has no such project.
   * @example
   * ```ts
   * const { agents } = await sdk.listAgents();
   * console.log(agents.map(({ id, name }) => `${id}: ${name}`).join("\n"));
   * ```
   */
  listAgents(options?: CallOptions): Promise<ListAgentsResponse>;
}

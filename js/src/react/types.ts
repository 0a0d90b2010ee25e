import type { ApproveToolCallOptions, ChatSDK, Message, SendMessageOptions, ToolCall } from "chatsdk";

/** What {@link useChat} needs of a ChatSDK. */
export type ChatClient = Pick<ChatSDK, "getChatHistory" | "stream" | "regenerateMessage" | "resumeStream" | "selectBranch" | "stop" | "approveToolCall" | "denyToolCall" | "getToolCall">;

/** Which chat {@link useChat} holds, and who is told of what. */
export interface UseChatOptions {
  /** Made once, outside of the component: another one begins again. */
  sdk: ChatClient;
  /**
   * The chat, whose history is loaded, and whose answer is followed if one is
   * being written. Another one shows that chat. Default: a new one, which the
   * first message makes.
   */
  chatId?: string | undefined;
  /**
   * What shows until the history has come, on the server too: that which the
   * server read. Default: nothing.
   */
  initialMessages?: readonly Message[] | undefined;
  /** An answer is complete, or was stopped. */
  onFinish?: ((message: Message) => void) | undefined;
  /** Something failed; `error` holds it too. */
  onError?: ((error: Error) => void) | undefined;
  /** Structured data beside the text. `sources` and `image_urls` of it stand in the message anyway. */
  onMessageObject?: ((messageObject: Record<string, unknown>) => void) | undefined;
}

/**
 * A message as it shows. One that does not change stays the same object, so
 * that a memoised row is not rendered again.
 */
export interface ChatMessage extends Omit<Message, "id" | "chat_id" | "toString"> {
  /** For React's `key`: stays the same when the service has given the message its id. */
  key: string;
  /** Absent until the service has told it. */
  id?: string;
  /** Absent as long as `id`. */
  chat_id?: string;
  /** The images that it was sent with from here. */
  images?: readonly Blob[];
}

/**
 * What goes on: the history is `"loading"`, a message can be sent (`"ready"`),
 * it was sent and nothing of the answer has come (`"submitted"`), the answer
 * comes (`"streaming"`) or waits for somebody to decide its calls, during which a message can
 * be sent (`"waiting"`), something failed, and a message can be sent (`"error"`).
 */
export type ChatStatus = "loading" | "ready" | "submitted" | "streaming" | "waiting" | "error";

/** One chat, as it is now. */
export interface ChatState {
  /** Absent until a new chat has its first message. */
  readonly chatId: string | undefined;
  /** Absent until the history has come, or the first exchange has named the chat. */
  readonly chatName: string | undefined;
  /**
   * Those of the branch that shows, oldest first. Where `siblings` of one has several ids, it is
   * the one of them with its own `id`. An answer shows from its first text on; one that is not
   * whole has no `finish_reason`, or `"error"`. Calls of tools are `tool_calls` of an answer:
   * each stands at the offset `at` of its text.
   */
  readonly messages: readonly ChatMessage[];
  readonly status: ChatStatus;
  /** What failed, an APIError if it was the API; undefined unless `status` is `"error"`. */
  readonly error: Error | undefined;
  /** What is being looked up for the answer, in a few words; not part of it. */
  readonly activity: string | undefined;
}

/** Options of a message. */
export type SendOptions = Omit<SendMessageOptions, "chatId" | "parentId" | "edits" | "signal" | "detachOnAbort">;

/**
 * What can be done with a chat. The promises give the answer when it is
 * complete or was stopped, and undefined if there is none: failures stand in
 * `error`. They reject with an Error where `status` does not allow the call.
 */
export interface ChatActions {
  /**
   * Sends a message, which shows at once, when `status` is `"ready"`, `"waiting"` or
   * `"error"`. A message before it that could not be sent is given up. An answer that waits goes on waiting.
   */
  readonly send: (text: string, options?: SendOptions) => Promise<Message | undefined>;
  /**
   * Sends another version of a question that shows, and shows it instead: the
   * old one and what follows it are another branch. With its images unless there are `images`.
   */
  readonly edit: (messageId: string, text: string, options?: SendOptions) => Promise<Message | undefined>;
  /**
   * Has an answer that shows written again, by default the last one. The old one and what follows
   * it, then another branch, show until the new one begins, and again if that fails.
   */
  readonly regenerate: (messageId?: string) => Promise<Message | undefined>;
  /**
   * Shows the branch of a message, one of `siblings` of a message that shows, to its newest. An
   * answer that is being written on the branch that showed goes on; selected again, it is followed.
   */
  readonly selectBranch: (messageId: string) => Promise<Message | undefined>;
  /**
   * Does again what failed: loads the chat, or sends the message with its key,
   * so that the service has it once, or goes on with the answer, which is
   * written again only if the service has given it up too.
   */
  readonly retry: () => Promise<Message | undefined>;
  /**
   * Lets a call of an answer that shows be carried out. Gives it as it is then: somebody may have
   * decided before. Rejects with the APIError where that failed.
   */
  readonly approve: (callId: string, options?: ApproveToolCallOptions) => Promise<ToolCall>;
  /** Refuses a call, otherwise as `approve`. The reason is told to the model. */
  readonly deny: (callId: string, reason?: string) => Promise<ToolCall>;
  /** Stops the answer that is being written. What had come of it stays. Resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

/** What {@link useChat} gives. */
export interface UseChatResult extends ChatState, ChatActions {}

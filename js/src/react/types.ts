import type { ApproveToolCallOptions, ChatSDK, Message, SendMessageOptions, ToolCall } from "chatsdk";

/** The part of a ChatSDK that {@link useChat} needs. */
export type ChatClient = Pick<ChatSDK, "getChatHistory" | "stream" | "regenerateMessage" | "resumeStream" | "selectBranch" | "stop" | "approveToolCall" | "denyToolCall" | "getToolCall">;

/** The chat that {@link useChat} holds, and its callbacks. */
export interface UseChatOptions {
  /** Make it once, outside the component: with another ChatSDK the hook starts again. */
  sdk: ChatClient;
  /**
   * The id of the chat. Its history is loaded, and an answer that is being written is followed.
   * Another id shows another chat. Default: a new chat, which the first message creates.
   */
  chatId?: string | undefined;
  /**
   * The messages to show until the history has loaded, also on the server: those that the server
   * read. Default: none.
   */
  initialMessages?: readonly Message[] | undefined;
  /**
   * Asks for what the model thinks, with each message and regeneration: `reasoning` of the answers, if the agent shows it. The
   * `reasoning` of one message overrides it. Default: false.
   */
  reasoning?: boolean | undefined;
  /** Called when an answer is complete or was stopped. */
  onFinish?: ((message: Message) => void) | undefined;
  /** Called when something fails. `error` also holds the error. */
  onError?: ((error: Error) => void) | undefined;
  /** Called with structured data besides the text. Its `sources` and `image_urls` are also in the message. */
  onMessageObject?: ((messageObject: Record<string, unknown>) => void) | undefined;
}

/**
 * A message as it is shown. A message that does not change stays the same object, so a memoised row
 * does not render again.
 */
export interface ChatMessage extends Omit<Message, "id" | "chat_id" | "toString"> {
  /** For React's `key`: it stays the same when the service gives the message its id. */
  key: string;
  /** Absent until the service has given the message its id. */
  id?: string;
  /** Absent as long as `id` is. */
  chat_id?: string;
  /** The images that this page sent with it. */
  images?: readonly Blob[];
  /** It could not be sent, and only this page has it: `resend` sends it again, `discard` gives it up. */
  unsent?: true;
}

/**
 * The status of the chat. `"loading"`: the history is being loaded. `"ready"`: you can send a
 * message. `"submitted"`: a message was sent, and nothing of its answer has arrived. `"streaming"`:
 * the answer is arriving. `"waiting"`: the answer waits for somebody to decide its calls; you can
 * send a message. `"error"`: something failed; you can send a message.
 */
export type ChatStatus = "loading" | "ready" | "submitted" | "streaming" | "waiting" | "error";

/** The current state of one chat. */
export interface ChatState {
  /** Absent until a new chat has its first message. */
  readonly chatId: string | undefined;
  /** Absent until the history has loaded, or the first exchange has named the chat. */
  readonly chatName: string | undefined;
  /**
   * The messages of the branch that is shown, oldest first. If `siblings` of a message has several
   * ids, the one shown is the message's own `id`. An answer is shown once it has some text or reasoning; an
   * incomplete answer has no `finish_reason`, or `"error"`. The tool calls of an answer are its
   * `tool_calls`. Each has an offset `at` in the answer's text.
   */
  readonly messages: readonly ChatMessage[];
  readonly status: ChatStatus;
  /** The failure, an APIError if it came from the API; undefined unless `status` is `"error"`. */
  readonly error: Error | undefined;
  /** What the agent is looking up, in a few words. It is not part of the answer. */
  readonly activity: string | undefined;
}

/** Options of a message. */
export type SendOptions = Omit<SendMessageOptions, "chatId" | "parentId" | "edits" | "signal" | "detachOnAbort">;

/**
 * The actions of a chat. The promises resolve with the answer when it is complete or was stopped,
 * and with undefined if there is none: failures are in `error`.
 */
export interface ChatActions {
  /**
   * Sends a message, which is shown at once. It needs the `status` `"ready"`, `"waiting"` or
   * `"error"`. An earlier message that could not be sent stays, marked `unsent`. An answer that waits
   * continues to wait.
   *
   * @param text The text of the message.
   * @param options Images, the agent, and what else belongs to a message.
   * @throws {Error} If `status` does not allow it. A failure is in `error`.
   * @example
   * ```ts
   * const { send } = useChat({ sdk, chatId });
   * await send("Where should we go?", { images: [file] });
   * ```
   */
  readonly send: (text: string, options?: SendOptions) => Promise<Message | undefined>;
  /**
   * Sends another version of a question that is shown, and shows it instead: the old version and
   * what follows it become another branch. It keeps the old images unless `images` are given.
   *
   * @param messageId The id of the question.
   * @param text The text of the new version.
   * @param options Images, the agent, and what else belongs to a message.
   * @throws {Error} If `status` does not allow it, or no such question is shown.
   * @example
   * ```ts
   * const { messages, edit } = useChat({ sdk, chatId });
   * const question = messages.filter(({ role }) => role === "user").at(-1);
   * if (question?.id) await edit(question.id, "And in winter?");
   * ```
   */
  readonly edit: (messageId: string, text: string, options?: SendOptions) => Promise<Message | undefined>;
  /**
   * Writes an answer that is shown again, by default the last one. The old answer and what follows
   * it stay until the new one begins; then they are another branch. They are shown again if the new
   * one fails.
   *
   * @param messageId The id of the answer. Default: the last one.
   * @throws {Error} If `status` does not allow it, or no such answer is shown.
   * @example
   * ```ts
   * const { regenerate } = useChat({ sdk, chatId });
   * await regenerate();
   * ```
   */
  readonly regenerate: (messageId?: string) => Promise<Message | undefined>;
  /**
   * Shows the branch of a message, one of the `siblings` of a message that is shown, down to its
   * newest message. An answer that is being written on the old branch continues. Select the old
   * branch to follow it again.
   *
   * @param messageId The id of the message.
   * @throws {Error} If the chat has not loaded, or a message is on its way to the service.
   * @example
   * ```ts
   * const { messages, selectBranch } = useChat({ sdk, chatId });
   * const [oldest] = messages[0]?.siblings ?? [];
   * if (oldest) await selectBranch(oldest);
   * ```
   */
  readonly selectBranch: (messageId: string) => Promise<Message | undefined>;
  /**
   * Repeats what failed: it loads the chat, or sends the message with the same key, so that the
   * service stores it once, or continues the answer. The answer is written again only if the
   * service has also given up on it.
   *
   * @throws Nothing. A failure is in `error`.
   * @example
   * ```ts
   * const { status, retry } = useChat({ sdk, chatId });
   * if (status === "error") button.onclick = () => retry();
   * ```
   */
  readonly retry: () => Promise<Message | undefined>;
  /**
   * Sends a message that is marked `unsent` again, by its `key`. If others were sent since, it follows the last answer
   * that is shown. If it had arrived after all, its answer is shown: the service stores it once.
   *
   * @param key The `key` of the message.
   * @throws {Error} If `status` does not allow it, or no such message is marked.
   * @example
   * ```ts
   * const { messages, resend } = useChat({ sdk, chatId });
   * const lost = messages.find(({ unsent }) => unsent);
   * if (lost) await resend(lost.key);
   * ```
   */
  readonly resend: (key: string) => Promise<Message | undefined>;
  /**
   * Stops showing a message that is marked `unsent`, by its `key`.
   *
   * @param key The `key` of the message.
   * @throws {Error} If no such message is marked.
   * @example
   * ```ts
   * const { messages, discard } = useChat({ sdk, chatId });
   * messages.filter(({ unsent }) => unsent).forEach(({ key }) => discard(key));
   * ```
   */
  readonly discard: (key: string) => void;
  /**
   * Approves a call of an answer that is shown. Resolves with the call's new state: somebody else
   * may have decided first.
   *
   * @param callId The id of the call.
   * @param options Other arguments, a reason, and the options of a call that counts once.
   * @throws {APIError} If it fails, with its code.
   * @example
   * ```ts
   * const { approve } = useChat({ sdk, chatId });
   * const { status } = await approve(callId, { reason: "Go ahead." });
   * console.log(status);
   * ```
   */
  readonly approve: (callId: string, options?: ApproveToolCallOptions) => Promise<ToolCall>;
  /**
   * Denies a call; otherwise like `approve`.
   *
   * @param callId The id of the call.
   * @param reason Told to the model. Default: none.
   * @throws {APIError} If it fails, with its code.
   * @example
   * ```ts
   * const { deny } = useChat({ sdk, chatId });
   * await deny(callId, "It is too expensive.");
   * ```
   */
  readonly deny: (callId: string, reason?: string) => Promise<ToolCall>;
  /**
   * Stops the answer that is being written. The text so far stays. Resolves when the answer has ended.
   *
   * @throws Nothing. If the service could not be told, `error` has the failure.
   * @example
   * ```ts
   * const { stop } = useChat({ sdk, chatId });
   * button.onclick = () => stop();
   * ```
   */
  readonly stop: () => Promise<void>;
}

/** The result of {@link useChat}. */
export interface UseChatResult extends ChatState, ChatActions {}

import type {
  AnswerName, CallOptions, EditMessageOptions, RegenerateMessageOptions, ResumeStreamOptions, SendMessageOptions, SendMessageStreamOptions,
} from "./options.js";
import type { AnswerStream } from "./stream.js";
import type { SendMessageResponse, StopReceipt } from "./types.js";

/** The methods of a ChatSDK that send messages, and follow and stop their answers. */
export interface AnswerMethods {
  /**
   * Sends a message and returns the whole answer.
   *
   * @param message The text of the message.
   * @param options The chat, the agent, images, and what else belongs to a message.
   * @throws {APIError} What the service refuses, such as `ENTITY_NOT_FOUND` for a chat of another user, or a failure of the model:
   * `PROVIDER_FAILED`, `PROVIDER_TIMEOUT` or `UNAVAILABLE`.
   * @example
   * ```ts
   * const { message } = await sdk.sendMessage("Where should we go?", { chatId });
   * console.log(message.content);
   * ```
   */
  sendMessage(message: string, options?: SendMessageOptions): Promise<SendMessageResponse>;

  /**
   * Sends a message and passes its answer to the callbacks as it arrives. Resolves
   * when the stream has ended. After a failure it rejects, but if there is an `onError`
   * it calls that and resolves. If the connection is lost, the stream resumes where it broke.
   *
   * @param message The text of the message.
   * @param options The callbacks, and what belongs to a message.
   * @throws {APIError} As `sendMessage`, and `STREAM_CUT` if the answer was cut and could not be resumed; its `partial` has what arrived.
   * @example
   * ```ts
   * await sdk.sendMessageStream("Tell me a story", {
   *   onChunk: (chunk) => page.append(chunk),
   *   onError: (error) => page.append(error.message),
   * });
   * ```
   */
  sendMessageStream(message: string, options?: SendMessageStreamOptions): Promise<void>;

  /**
   * Sends a message and returns its answer as an async iterable of events, with `stop()` and `result`.
   *
   * @param message The text of the message.
   * @param options What belongs to a message.
   * @throws {APIError} Not from this call: reading the events throws it, and `result` rejects with it.
   * @example
   * ```ts
   * for await (const event of sdk.stream("Tell me a story", { chatId })) {
   *   if (event.type === "chunk") page.append(event.text);
   * }
   * ```
   */
  stream(message: string, options?: SendMessageOptions): AnswerStream;

  /**
   * Sends another version of a question. The old version stays, and the chat's path leads to
   * the new one, which keeps the question's images unless you pass `images`. Otherwise like `sendMessageStream`.
   *
   * @param chatId The id of the chat.
   * @param messageId The id of the question.
   * @param message The text of the new version.
   * @param options The callbacks, and what belongs to a message.
   * @throws {APIError} As `sendMessageStream`, and `ENTITY_NOT_FOUND` if the chat has no such question.
   * @example
   * ```ts
   * await sdk.editMessage(chatId, messageId, "And in winter?", { onChunk: (chunk) => page.append(chunk) });
   * ```
   */
  editMessage(chatId: string, messageId: string, message: string, options?: EditMessageOptions): Promise<void>;

  /**
   * Writes another version of an answer, with the options of its question. The old version
   * stays, and the chat's path leads to the new one. If the new one fails, or is stopped before
   * its first word, the path goes back to the old one. Otherwise like `sendMessageStream`.
   *
   * @param chatId The id of the chat.
   * @param messageId The id of the answer.
   * @param options The callbacks, and the options of a call that counts once.
   * @throws {APIError} As `sendMessageStream`, and `ENTITY_NOT_FOUND` if the chat has no such answer.
   * @example
   * ```ts
   * await sdk.regenerateMessage(chatId, messageId, { onChunk: (chunk) => page.append(chunk) });
   * ```
   */
  regenerateMessage(chatId: string, messageId: string, options?: RegenerateMessageOptions): Promise<void>;

  /**
   * Finds an answer that is still being written in a chat, and passes it to the callbacks from
   * its first event to its end. Call it after a page has been reloaded. The answer is the one that
   * `messageId` names, by default the last one of the path. Resolves with whether there is such
   * an answer; after a failure that `onError` received, with whether there may be one.
   *
   * @param chatId The id of the chat.
   * @param options The callbacks, and which answer it is.
   * @throws {APIError} As `sendMessageStream`, and `ENTITY_NOT_FOUND` if the caller has no such chat.
   * @example
   * ```ts
   * const found = await sdk.resumeStream(chatId, { onChunk: (chunk) => page.append(chunk) });
   * if (!found) console.log("No answer is being written.");
   * ```
   */
  resumeStream(chatId: string, options?: ResumeStreamOptions): Promise<boolean>;

  /**
   * Stops an answer. Resolves when the answer has ended.
   *
   * @param answer The answer's stream, or the idempotency key that its message was sent with, and the options of a call.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such answer; by the key, also until the message has arrived.
   * @example
   * ```ts
   * const idempotencyKey = crypto.randomUUID();
   * button.onclick = () => sdk.stop({ idempotencyKey });
   * await sdk.sendMessageStream("Tell me a story", { idempotencyKey, onChunk: (chunk) => page.append(chunk) });
   * ```
   */
  stop(answer: AnswerName & CallOptions): Promise<StopReceipt>;
}

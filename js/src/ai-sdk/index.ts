/**
 * ChatSDK as a transport of the AI SDK, for `useChat` of `@ai-sdk/react` and its
 * like. Begin with {@link ChatSDKTransport}.
 *
 * @packageDocumentation
 */
import type { ChatRequestOptions, ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { APIError, ChatHistoryResponse, ChatSDK, Message, SendMessageOptions, StreamStart } from "chatsdk";

import { type Answer, readAnswer } from "./answer.js";
import { unfinished } from "./message.js";
import { isQuestion, optionsOf, textOf } from "./question.js";

export { toUIMessages, type ChatSDKDataParts, type ChatSDKMessage, type ChatSDKMetadata } from "./message.js";

/**
 * Options of all messages of a {@link ChatSDKTransport}. The `body` of one
 * message, `sendMessage(message, { body })`, takes the same and wins.
 */
export type ChatSDKTransportOptions = Omit<SendMessageOptions, "chatId" | "images" | "idempotencyKey" | "signal">;

type SendOptions = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0];
type ReconnectOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

/** The last resume of each chat, and whether a message was sent since. */
const resumes = new WeakMap<ChatSDK, Map<string, { overtaken: boolean }>>();

/**
 * Lets `useChat({ id, transport })` talk to the service, where `id` is the
 * `chat_id` of `createChat`. A message is sent once, however often it is tried.
 * `stop()`, and a component that goes away, stops the answer at the service,
 * unless `detachOnAbort` is set. `regenerate()` has the last answer written
 * anew; an earlier message can neither be edited nor answered anew, which is an
 * error that says so. `error` is the {@link APIError} as it is.
 *
 * It keeps nothing: a new one may be made for each render.
 */
export class ChatSDKTransport implements ChatTransport<UIMessage> {
  /** A resumed answer comes from its first chunk. */
  readonly resumeStreamIsReplay = true;

  readonly #sdk: ChatSDK;
  readonly #options: ChatSDKTransportOptions;

  constructor(sdk: ChatSDK, options: ChatSDKTransportOptions = {}) {
    this.#sdk = sdk;
    this.#options = options;
  }

  /** Sends the last of the messages, or has its answer written anew. */
  async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const { trigger, chatId, messageId, messages, abortSignal } = options;
    refuseHeaders(options);
    const question = messages.at(-1);
    if (question?.role !== "user") {
      throw new Error(`sendMessage: chat ${chatId} does not end with a question; regenerate() has its last answer written anew`);
    }
    const resume = resumes.get(this.#sdk)?.get(chatId);
    if (resume) {
      resume.overtaken = true;
    }
    return readAnswer(async (answer, signal) => {
      const known = trigger === "regenerate-message" || messageId ? await this.#find(chatId, question, signal) : undefined;
      if (known && trigger === "regenerate-message") {
        await this.#regenerate(chatId, known, options, answer, signal);
        return;
      }
      if (known) {
        refuseEdit(question, known);
      }
      await this.#send(chatId, question, options, answer, signal);
    }, abortSignal);
  }

  /** Follows the answer that is being written in a chat, from its first chunk; null where none is. */
  async reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    const { chatId, abortSignal } = options;
    refuseHeaders(options);
    const latest = resumes.get(this.#sdk) ?? new Map<string, { overtaken: boolean }>();
    const mine = { overtaken: false };
    resumes.set(this.#sdk, latest.set(chatId, mine));
    const { messages } = await this.#history(chatId, abortSignal);
    if (mine.overtaken && abortSignal) {
      // Whatever came now would set useChat's status, which is that of the message by now.
      await aborted(abortSignal);
    }
    const running = messages.filter((message) => message.stream_id).at(-1);
    const asked = messages[(running ? messages.indexOf(running) : messages.length - 1) - 1]?.id ?? "";
    if (!running) {
      const part = unfinished.get(asked);
      return part ? readAnswer(async (answer) => replay(answer, asked, part, messages.at(-1)), abortSignal) : null;
    }
    return readAnswer(async (answer, signal) => {
      answer.start(running.id);
      const stop = () => {
        // What begins a newer resume aborts this one just before; the answer is still wanted then.
        queueMicrotask(() => {
          if (latest.get(chatId) === mine && !this.#options.detachOnAbort) {
            this.#sdk.stop({ streamId: running.stream_id }).catch(() => {}); // the answer is then finished and kept
          }
        });
      };
      signal.addEventListener("abort", stop);
      const followed = await this.#sdk.resumeStream(chatId, { ...answer.callbacks, signal, detachOnAbort: true });
      signal.removeEventListener("abort", stop);
      if (followed) {
        unfinished.delete(asked);
      } else {
        const now = (await this.#history(chatId, signal)).messages; // it was finished in between
        replay(answer, asked, running.id, now[now.findIndex(({ id }) => id === asked) + 1]);
      }
    }, abortSignal);
  }

  /** Sends a question. One that the service has already is not asked again: its answer comes. */
  async #send(chatId: string, question: UIMessage, request: ChatRequestOptions, answer: Answer, signal: AbortSignal): Promise<void> {
    const given: SendMessageOptions = { ...this.#options, ...request.body };
    const options = optionsOf(chatId, question, given.metadata, request.metadata);
    for (const key of Object.keys(options)) {
      if (key !== "metadata" && key in given) {
        throw new TypeError(`sendMessage: body has ${key}, which useChat and the message give`);
      }
    }
    let start: StreamStart | undefined;
    try {
      for await (const event of this.#sdk.stream(textOf(question), { ...given, ...options, signal })) {
        start = event.type === "start" ? event : start;
        answer.take(event);
      }
    } catch (error) {
      if (start?.user_message_id && !signal.aborted) {
        unfinished.set(start.user_message_id, start.message_id);
      }
      explain(chatId, error);
    }
  }

  /** Has the answer to a question written anew. The AI SDK names the new one: its id at the service comes at the end. */
  async #regenerate(chatId: string, { reply, last }: Exchange, request: ChatRequestOptions, answer: Answer, signal: AbortSignal): Promise<void> {
    if (Object.keys(request.body ?? {}).length > 0) {
      throw new TypeError("regenerate: body is given, but an answer is written anew with the options of its question; send a new message instead");
    }
    if (!last || !reply) {
      throw new Error(`regenerate: only the last answer of a chat can be written anew; ${reset}`);
    }
    // One that is still being written, or whose stop is on its way, ends first.
    const old = reply.stream_id ? (await this.#sdk.stop({ streamId: reply.stream_id, signal })).message : reply;
    answer.start();
    const { detachOnAbort } = this.#options;
    await this.#sdk.regenerateMessage(chatId, old.id, { ...answer.callbacks, signal, detachOnAbort });
  }

  /** Finds a question of the AI SDK in the history, with its answer. */
  async #find(chatId: string, question: UIMessage, signal: AbortSignal): Promise<Exchange | undefined> {
    const { messages } = await this.#history(chatId, signal);
    const i = messages.findIndex((message) => isQuestion(message, question.id));
    const found = messages[i];
    return found && { question: found, reply: messages[i + 1], last: i === messages.length - 2 };
  }

  async #history(chatId: string, signal: AbortSignal | undefined): Promise<ChatHistoryResponse> {
    return this.#sdk.getChatHistory(chatId, { signal }).catch((error: unknown) => explain(chatId, error));
  }
}

/** A question of the history and its answer. */
interface Exchange {
  question: Message;
  reply: Message | undefined;
  /** Nothing was asked since. */
  last: boolean;
}

/** What to do where the AI SDK has dropped messages that the chat still has. */
const reset = "setMessages(toUIMessages(await sdk.getChatHistory(id))) shows the chat as it is";

/** Lets only the very question through that the service has. */
function refuseEdit(edited: UIMessage, { question }: Exchange): void {
  if (question.id === edited.id || question.content !== textOf(edited).replace(/\r\n?/g, "\n")) {
    throw new Error(`sendMessage: message ${edited.id} was sent before and cannot be edited, send a new one; ${reset}`);
  }
}

function refuseHeaders({ headers }: ChatRequestOptions): void {
  if (headers && [...new Headers(headers)].length > 0) {
    throw new TypeError("sendMessage: headers are given, but requests are the SDK's; its accessToken says who the user is");
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new DOMException("a message was sent meanwhile", "AbortError")), { once: true });
  });
}

/** Gives the finished answer to a question, in the place of the message that has a part of it. */
function replay(answer: Answer, asked: string, id: string, message: Message | undefined): void {
  unfinished.delete(asked);
  if (message) {
    answer.start(id);
    answer.take({ type: "chunk", text: message.content });
    answer.take({ type: "complete", message });
  }
}

/** Says of what is not found that it may be the chat. */
function explain(chatId: string, error: unknown): never {
  if (isNotFound(error)) {
    error.message += `; is ${chatId}, the id of useChat, the chat_id of a chat that createChat made?`;
  }
  throw error;
}

function isNotFound(error: unknown): error is APIError {
  return error instanceof Error && "code" in error && error.code === "ENTITY_NOT_FOUND";
}

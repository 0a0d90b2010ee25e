/**
 * ChatSDK as a transport of the AI SDK, for `useChat` of `@ai-sdk/react` and
 * similar hooks. Begin with {@link ChatSDKTransport}.
 *
 * @packageDocumentation
 */
import type { ChatRequestOptions, ChatTransport, UIMessage, UIMessageChunk } from "ai";
import type { APIError, ChatHistoryResponse, ChatSDK, Message, SendMessageOptions, StreamStart } from "chatsdk";

import { promise } from "../native.js";
import { type Answer, failureOf, named, readAnswer } from "./answer.js";
import { type Part, unfinished } from "./message.js";
import { fields, isQuestion, isSame, optionsOf, parentOf, textOf } from "./question.js";
import { decisions } from "./tools.js";

export { unsentMessages } from "./question.js";
export { toUIMessages, type ChatSDKDataParts, type ChatSDKMessage, type ChatSDKMetadata } from "./message.js";

/**
 * Options of all messages of a {@link ChatSDKTransport}. The `body` of one message,
 * `sendMessage(message, { body })`, takes the same options and overrides them.
 */
export type ChatSDKTransportOptions = Omit<SendMessageOptions, "chatId" | "parentId" | "edits" | "images" | "idempotencyKey" | "signal">;

type SendOptions = Parameters<ChatTransport<UIMessage>["sendMessages"]>[0];
type ReconnectOptions = Parameters<ChatTransport<UIMessage>["reconnectToStream"]>[0];

/** The chats that are being searched for a running answer, and whether a message was sent meanwhile. */
const looks = new WeakMap<ChatSDK, Map<string, { overtaken: boolean }>>();

/**
 * Connects `useChat({ id, transport })` to the service. `id` is the `chat_id` of `createChat`. A
 * message is stored once, however often it is sent. `stop()` stops the answer at the service, and so
 * does, with `ai` 7, a component that unmounts; set `detachOnAbort` to change that. `regenerate()`
 * writes the answer again, or fetches the rest of an answer that was interrupted. `sendMessage`
 * with the `messageId` of an earlier question edits that question, and keeps its images unless you
 * give others. The old version stays in the chat as another branch: `siblings` in the metadata
 * lists the versions of a message, and `selectBranch` of the SDK shows one. A question follows the
 * last answer that is shown. `error` is the {@link APIError} itself.
 *
 * Tool calls are dynamic tool parts. When an answer waits for a decision, the stream ends.
 * `addToolApprovalResponse` (`ai` 6 and later) decides a call. With `sendAutomaticallyWhen:
 * lastAssistantMessageIsCompleteWithApprovalResponses` the decision is then sent to the service,
 * and the answer continues in the same message. `resumeStream()` fetches what follows a decision by
 * somebody else, such as an administrator. The page's tools are the ones given to the ChatSDK,
 * which runs them.
 *
 * The text of a finished answer is the service's. If another text was shown, `ai` 7 replaces it.
 * With 5 and 6 it is an error, and `resumeStream()` shows the right text.
 *
 * The transport keeps no state: you may make a new one for each render.
 */
export class ChatSDKTransport implements ChatTransport<UIMessage> {
  /** A resumed answer comes from its first chunk. */
  readonly resumeStreamIsReplay = true;

  readonly #sdk: ChatSDK;
  readonly #options: ChatSDKTransportOptions;

  /**
   * @param sdk The client.
   * @param options Options of all messages. Default: none.
   * @throws Nothing.
   * @example
   * ```ts
   * const connection = new ChatSDKTransport(sdk, { agentId });
   * console.log(connection.resumeStreamIsReplay);
   * ```
   */
  constructor(sdk: ChatSDK, options: ChatSDKTransportOptions = {}) {
    this.#sdk = sdk;
    this.#options = options;
  }

  /**
   * Sends the last of the messages, sends it as an edit if the service has a different version, or
   * regenerates its answer. `useChat` calls it.
   *
   * @param options The chat, its messages, and what triggered the request.
   * @throws {Error} If the chat does not end with a question, or has `headers`. What the API refuses fails the stream, as an APIError.
   * @example
   * ```ts
   * const stream = await transport.sendMessages({ trigger: "submit-message", chatId, messageId: undefined, messages, abortSignal: undefined });
   * const { value: first } = await stream.getReader().read();
   * console.log(first?.type);
   * ```
   */
  async sendMessages(options: SendOptions): Promise<ReadableStream<UIMessageChunk>> {
    const { trigger, chatId, messageId, messages, abortSignal } = options;
    refuseHeaders(options);
    const question = messages.at(-1);
    if (question?.role === "assistant" && decisions(question).length > 0) {
      return readAnswer((answer, signal) => this.#decide(chatId, question, answer, signal), abortSignal, "sendMessage");
    }
    if (question?.role !== "user") {
      throw new Error(`sendMessage: chat ${chatId} does not end with a question; regenerate() writes an answer again`);
    }
    const chats = looks.get(this.#sdk);
    const look = chats?.get(chatId);
    if (look) {
      look.overtaken = true;
      chats?.delete(chatId);
    }
    return readAnswer(async (answer, signal) => {
      const isAnew = trigger === "regenerate-message";
      const known = isAnew || messageId ? await this.#find(chatId, question, signal) : undefined;
      if (!known || !isSame(known.question, question)) {
        await this.#send(chatId, messages, known?.question, options, answer, signal);
      } else if (isAnew || known.reply.finish_reason === "error") {
        await this.#regenerate(chatId, known, options, answer, signal);
      } else {
        await this.#follow(chatId, known.question.id, known.reply, answer, signal); // the service already has it
      }
    }, abortSignal, trigger === "regenerate-message" ? "regenerate" : "sendMessage");
  }

  /**
   * Follows the answer that is being written in a chat, from its first chunk; null if there is none. `useChat` calls it.
   *
   * @param options The chat.
   * @throws {APIError} `ENTITY_NOT_FOUND` if the caller has no such chat.
   * @example
   * ```ts
   * const stream = await transport.reconnectToStream({ chatId });
   * console.log(stream ? "An answer is being written." : "None is.");
   * ```
   */
  async reconnectToStream(options: ReconnectOptions): Promise<ReadableStream<UIMessageChunk> | null> {
    const { chatId, abortSignal } = options;
    refuseHeaders(options);
    const messages = await this.#look(chatId, abortSignal).catch((error: unknown) => {
      throw named(error, "resumeStream");
    });
    const running = messages.filter((message) => message.stream_id).at(-1);
    const asked = messages[(running ? messages.indexOf(running) : messages.length - 1) - 1]?.id ?? "";
    if (running) {
      return readAnswer((answer, signal) => this.#follow(chatId, asked, running, answer, signal), abortSignal, "resumeStream");
    }
    const part = unfinished.get(asked);
    return part ? readAnswer(async (answer) => replay(answer, asked, part.id, messages.at(-1)), abortSignal, "resumeStream") : null;
  }

  /** Reads the history in order to resume. If a message is sent meanwhile, it ends only when it is aborted, also if it fails. */
  async #look(chatId: string, abortSignal: AbortSignal | undefined): Promise<Message[]> {
    const chats = looks.get(this.#sdk) ?? new Map<string, { overtaken: boolean }>();
    const mine = { overtaken: false };
    looks.set(this.#sdk, chats.set(chatId, mine));
    try {
      try {
        return (await this.#history(chatId, abortSignal)).messages;
      } finally {
        if (mine.overtaken && abortSignal) {
          // A chunk or an error now would change the status of useChat, which belongs to the new message.
          await aborted(abortSignal);
        }
      }
    } finally {
      if (chats.get(chatId) === mine) {
        chats.delete(chatId);
      }
    }
  }

  /**
   * Sends all decisions in a message to the service, and continues the message. Where somebody else
   * decided first, that decision counts.
   */
  async #decide(chatId: string, message: UIMessage, answer: Answer, signal: AbortSignal): Promise<void> {
    answer.carryOn(message);
    let failure: unknown;
    for (const { id, approved, reason } of decisions(message)) {
      const decided = approved ? this.#sdk.approveToolCall(id, { reason, signal }) : this.#sdk.denyToolCall(id, reason, { signal });
      await decided.catch((error: unknown) => {
        if (!(error instanceof Error && "code" in error && error.code === "CONFLICT")) {
          failure ??= error;
        }
      });
    }
    if (failure !== undefined) {
      throw failure;
    }
    const { parent_id: asked = "" } = fields(message.metadata);
    await this.#goOn(chatId, String(asked), answer.streamId, answer, signal);
  }

  /** Follows an answer from its first chunk, or returns the whole answer if it has finished meanwhile. */
  async #follow(chatId: string, asked: string, reply: Message, answer: Answer, signal: AbortSignal): Promise<void> {
    const { id, stream_id: streamId, finish_reason: reason } = reply;
    answer.start(asked, id, streamId !== undefined && reason !== undefined);
    await this.#goOn(chatId, asked, streamId, answer, signal);
  }

  /** Reads an answer to its end, or until it waits. */
  async #goOn(chatId: string, asked: string, streamId: string | undefined, answer: Answer, signal: AbortSignal): Promise<void> {
    const stop = () => {
      // A newer resume aborts this one just before it begins; the answer is still wanted then.
      queueMicrotask(() => {
        if (streamId && !looks.get(this.#sdk)?.has(chatId) && !this.#options.detachOnAbort) {
          this.#sdk.stop({ streamId }).catch(() => {}); // the answer is then finished and kept
        }
      });
    };
    signal.addEventListener("abort", stop);
    const message = await this.#readToItsEnd(chatId, asked, answer, signal).finally(() => signal.removeEventListener("abort", stop));
    if (message) {
      answer.take({ type: "complete", message });
    }
  }

  /** The state of an answer, on the chat's path or off it; undefined if it waits. */
  async #readToItsEnd(chatId: string, asked: string, answer: Answer, signal: AbortSignal): Promise<Message | undefined> {
    const { id } = answer;
    let message: Message | undefined;
    const onComplete = (whole: Message) => {
      message = whole;
    };
    await this.#untilItWaits(chatId, answer, signal, true, (reading) =>
      this.#sdk.resumeStream(chatId, { ...answer.callbacks, messageId: id, onComplete, signal: reading, detachOnAbort: true }));
    if (message?.id === id || answer.isParked) {
      return message;
    }
    // It was already complete. An older service may have replaced it by another answer.
    const { messages } = await this.#history(chatId, signal);
    return messages.find((one) => one.id === id) ?? messages[messages.findIndex((one) => one.id === asked) + 1]
      ?? this.#sdk.getMessage(chatId, id, { signal });
  }

  /**
   * Sends the last question, or another version of an old one. If the service already has it, its
   * answer is followed.
   */
  async #send(
    chatId: string, messages: UIMessage[], old: Message | undefined, request: ChatRequestOptions, answer: Answer, signal: AbortSignal,
  ): Promise<void> {
    const given: SendMessageOptions = { ...this.#options, ...request.body };
    const question = messages.at(-1) as UIMessage;
    const options = {
      ...optionsOf(chatId, question, old, given.metadata, request.metadata), edits: old?.id, parentId: old ? undefined : parentOf(messages),
    };
    for (const key of Object.keys(options)) {
      if (key !== "metadata" && key in given) {
        throw new TypeError(`sendMessage: body has ${key}, which useChat and the message set`);
      }
    }
    try {
      await this.#untilItWaits(chatId, answer, signal, given.detachOnAbort, async (reading) => {
        for await (const event of this.#sdk.stream(textOf(question), { ...given, ...options, signal: reading })) {
          answer.take(event);
        }
      });
    } catch (error) {
      explain(chatId, error);
    }
  }

  /** Reads an answer. If it waits for a decision, the reader gets all its calls, and the reading ends. */
  async #untilItWaits(
    chatId: string, answer: Answer, signal: AbortSignal, detachOnAbort: boolean | undefined, read: (reading: AbortSignal) => Promise<unknown>,
  ): Promise<void> {
    const reading = new AbortController();
    const leave = () => {
      reading.abort(signal.reason);
      const { streamId } = answer;
      if (streamId && answer.calls && !detachOnAbort) {
        this.#sdk.stop({ streamId }).catch(() => {}); // when reading ends, an answer that has called tools is not stopped
      }
    };
    let isLooking = false;
    answer.onCall = () => {
      if (answer.waits && !isLooking) {
        isLooking = true;
        look().catch((error: unknown) => reading.abort(error));
      }
    };
    // Calls arrive one by one, and any but the last could look like the complete list.
    const look = async () => {
      const { tool_calls: calls } = await this.#sdk.listToolCalls({ chatId, messageId: answer.id, signal: reading.signal });
      calls.reverse().forEach((call) => answer.take({ type: "tool_call", call }));
      isLooking = false;
      if (answer.waits) {
        answer.park();
        reading.abort();
      }
    };
    signal.addEventListener("abort", leave);
    try {
      signal.throwIfAborted();
      await read(reading.signal);
    } catch (error) {
      if (!answer.isParked) {
        throw error;
      }
    } finally {
      answer.onCall = () => {};
      signal.removeEventListener("abort", leave);
    }
  }

  /** Regenerates the answer to a question, or fetches the rest of an interrupted one. */
  async #regenerate(chatId: string, { question, reply }: Turn, request: ChatRequestOptions, answer: Answer, signal: AbortSignal): Promise<void> {
    if (Object.keys(request.body ?? {}).length > 0) {
      throw new TypeError("regenerate: body is given, but an answer is written again with the options of its question; edit that instead");
    }
    if (isStillToCome(unfinished.get(question.id), reply)) {
      await this.#follow(chatId, question.id, reply, answer, signal);
      return;
    }
    // An answer that is still being written, or is being stopped, ends first.
    const old = reply.stream_id ? (await this.#sdk.stop({ streamId: reply.stream_id, signal })).message : reply;
    answer.startAnew(question.id, old.id);
    const onStart = (start: StreamStart) => answer.take({ type: "start", ...start });
    const { detachOnAbort, reasoning = false } = this.#options;
    await this.#untilItWaits(chatId, answer, signal, detachOnAbort, (reading) =>
      this.#sdk.regenerateMessage(chatId, old.id, { ...answer.callbacks, onStart, signal: reading, detachOnAbort, reasoning }));
  }

  /**
   * Finds a question of the AI SDK on the chat's path or on another branch, with its answer there.
   * If the question was edited, it finds the other version.
   */
  async #find(chatId: string, question: UIMessage, signal: AbortSignal): Promise<Turn | undefined> {
    let { messages } = await this.#history(chatId, signal);
    let found = messages.find((message) => isQuestion(message, question.id));
    if ((!found || !isSame(found, question)) && messages.some(({ siblings }) => siblings)) {
      ({ messages } = await this.#history(chatId, signal, "all"));
      const versions = messages.filter((message) => isQuestion(message, question.id));
      found = versions.filter((version) => isSame(version, question)).at(-1) ?? found ?? versions.at(-1);
    }
    const reply = found && (messages.filter(({ parent_id: parent }) => parent === found?.id).at(-1) ?? messages[messages.indexOf(found) + 1]);
    return found && reply && { question: found, reply };
  }

  async #history(chatId: string, signal: AbortSignal | undefined, branches?: "all"): Promise<ChatHistoryResponse> {
    return this.#sdk.getChatHistory(chatId, { branches, signal }).catch((error: unknown) => explain(chatId, failureOf(error, signal)));
  }
}

/** A question of the history and its answer. */
interface Turn {
  question: Message;
  reply: Message;
}

/** Reports whether reading an answer failed here while the service is still writing it, or has all of it. */
function isStillToCome(part: Part | undefined, { id, stream_id: streamId, finish_reason: reason }: Message): boolean {
  return part !== undefined && part.hasFailed && (streamId !== undefined || (reason !== "error" && !(part.isAnew && part.id === id)));
}

function refuseHeaders({ headers }: ChatRequestOptions): void {
  if (headers && [...new Headers(headers)].length > 0) {
    throw new TypeError("sendMessage: headers are given, but the SDK makes the requests; its accessToken says who the user is");
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return promise((_, reject) => {
    const end = () => reject(new DOMException("a message was sent meanwhile", "AbortError"));
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) {
      end();
    }
  });
}

/** Delivers the finished answer to a question, in place of the message that has a part of it. */
function replay(answer: Answer, asked: string, id: string, message: Message | undefined): void {
  if (message) {
    answer.start(asked, id);
    answer.take({ type: "complete", message });
  }
}

/** Adds to a 404 that the chat may be missing, and writes that to the console, once. */
function explain(chatId: string, error: unknown): never {
  if (isNotFound(error)) {
    const advice = `is ${chatId}, the id of useChat, the chat_id of a chat that createChat made?`;
    if (!explained.has(chatId)) {
      explained.add(chatId);
      console.warn(`${error.name}: ${error.message}; ${advice}`);
    }
    Object.assign(error, { advice });
  }
  throw error;
}

const explained = new Set<string>();

function isNotFound(error: unknown): error is APIError {
  return error instanceof Error && "code" in error && error.code === "ENTITY_NOT_FOUND";
}

import type { Message, RegenerateMessageOptions, SendMessageOptions, StreamEvent } from "chatsdk";

import { newKey } from "../arguments.js";
import type { ChatClient } from "./types.js";

/**
 * Reads an answer, and the history before it. The service continues to write when nobody reads, so
 * leaving does not stop an answer.
 *
 * @internal
 */
export class Answer {
  readonly #sdk: ChatClient;
  readonly #tell: (event: StreamEvent) => void;
  readonly #reading = new AbortController();
  #isLeft = false;
  #halt: (() => Promise<unknown>) | undefined;
  #stopping: Promise<unknown> | undefined;
  /** A stop was requested, perhaps before there was an answer to stop. */
  isStopping = false;
  /** The service may not have the request yet, and would lose it with the connection. */
  isOnItsWay = false;
  /** The answer, when it is complete. */
  message: Message | undefined;

  constructor(sdk: ChatClient, tell: (event: StreamEvent) => void) {
    this.#sdk = sdk;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    return this.#reading.signal;
  }

  /** Nobody reads it any more. */
  get isLeft(): boolean {
    return this.#isLeft && this.signal.aborted;
  }

  async send(text: string, options: SendMessageOptions): Promise<void> {
    this.isOnItsWay = true;
    const stream = this.#sdk.stream(text, { ...options, signal: this.signal, detachOnAbort: true });
    this.#halt = () => stream.stop();
    for await (const event of stream) {
      this.#take(event);
    }
  }

  async regenerate(chatId: string, messageId: string, reasoning: boolean): Promise<void> {
    this.isOnItsWay = true;
    this.message = undefined; // left by an answer that was followed before
    const idempotencyKey = newKey();
    await this.#follow({ idempotencyKey }, (options) => this.#sdk.regenerateMessage(chatId, messageId, { ...options, idempotencyKey, reasoning }));
  }

  /**
   * Follows the answer that is being written, on the path or off it, from its first chunk. Reports
   * whether there was one.
   */
  async resume(chatId: string, messageId: string, streamId: string): Promise<boolean> {
    return (await this.#follow({ streamId }, (options) => this.#sdk.resumeStream(chatId, { ...options, messageId }))) ?? true;
  }

  /** Stops the answer at the service, as soon as there is one. Its reader gets the result. */
  async stop(): Promise<void> {
    this.isStopping = true;
    this.#stopping ??= this.#halt?.();
    await this.#stopping?.catch(() => {});
  }

  /** Ends the reading, as soon as the service has the request. */
  leave(): void {
    this.#isLeft = true;
    if (!this.isOnItsWay) {
      this.#reading.abort();
    }
  }

  /** Cancels leaving. Reports whether that was in time. */
  enter(): boolean {
    this.#isLeft = false;
    return !this.signal.aborted;
  }

  /** Reads, with callbacks, an answer that has no iterator, and stops it by its name at the service. */
  async #follow<T>(
    name: { streamId: string } | { idempotencyKey: string }, open: (options: RegenerateMessageOptions) => Promise<T>,
  ): Promise<T | undefined> {
    const following = new AbortController();
    const leave = () => following.abort();
    this.signal.addEventListener("abort", leave);
    this.#halt = async () => {
      following.abort();
      const { message } = await this.#sdk.stop(name);
      this.#take({ type: "complete", message });
    };
    try {
      if (this.isStopping) {
        void this.stop();
      }
      return await open({
        signal: following.signal,
        detachOnAbort: true,
        onStart: (start) => this.#take({ type: "start", ...start }),
        onChunk: (text) => this.#take({ type: "chunk", text }),
        onReasoning: (text) => this.#take({ type: "reasoning", text }),
        onMessageObject: (object) => this.#take({ type: "message_object", object }),
        onDocumentChunk: (text) => this.#take({ type: "document_chunk", text }),
        onToolCall: (call) => this.#take({ type: "tool_call", call }),
        onChatNameUpdate: (name) => this.#take({ type: "chat_name", name }),
        onComplete: (message) => this.#take({ type: "complete", message }),
      });
    } catch (error) {
      if (this.#stopping === undefined) {
        throw error;
      }
      await this.#stopping;
      return undefined;
    } finally {
      await this.#stopping?.catch(() => {}); // its result belongs to this answer, not to the next
      this.signal.removeEventListener("abort", leave);
      this.#halt = this.#stopping = undefined;
    }
  }

  #take(event: StreamEvent): void {
    this.isOnItsWay = false;
    if (event.type === "complete") {
      this.message = event.message;
    }
    this.#tell(event);
    if (this.#isLeft) {
      this.#reading.abort();
    }
  }
}

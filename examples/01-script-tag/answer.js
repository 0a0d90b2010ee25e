/**
 * @typedef {import("../../dist/chatsdk.d.ts").StreamEvent} StreamEvent
 * @typedef {import("../../dist/chatsdk.d.ts").RegenerateMessageOptions} Options
 */

/**
 * An answer that is being written, and the reading of it. The two are not the
 * same: the service writes on when nobody reads, and reading can begin again.
 */
export class Answer {
  /** The service has the question, so that nothing is lost when the reading ends. */
  isBegun = false;
  /** Nobody looks. */
  isLeft = false;

  #sdk;
  #tell;
  #reading = new AbortController();
  #halt = async () => this.#reading.abort();
  /** @type {Promise<unknown> | undefined} */
  #stopping;

  /** @param {import("../../dist/chatsdk.d.ts").ChatSDK} sdk @param {(event: StreamEvent) => void} tell is told what comes. */
  constructor(sdk, tell) {
    this.#sdk = sdk;
    this.#tell = tell;
  }

  /** Ends what comes before the answer, too. */
  get signal() {
    return this.#reading.signal;
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** Sends a message. @param {string} text @param {import("../../dist/chatsdk.d.ts").SendMessageOptions} options */
  async send(text, options) {
    const stream = this.#sdk.stream(text, { ...options, signal: this.signal, detachOnAbort: true });
    this.#halt = async () => void (await stream.stop());
    for await (const event of stream) {
      this.#take(event);
    }
  }

  /** Has an answer written again. @param {string} chatId @param {string} messageId */
  async regenerate(chatId, messageId) {
    const idempotencyKey = crypto.randomUUID();
    await this.#follow({ idempotencyKey }, (options) => this.#sdk.regenerateMessage(chatId, messageId, { ...options, idempotencyKey }));
  }

  /**
   * Follows one that is being written, on the chat's path or not, from its first
   * chunk. Tells whether it was still being written.
   * @param {string} chatId @param {string} messageId @param {string} streamId
   */
  async resume(chatId, messageId, streamId) {
    this.isBegun = true;
    return this.#follow({ streamId }, (options) => this.#sdk.resumeStream(chatId, { ...options, messageId }));
  }

  /** Has the service stop it. What had come is then its answer. */
  stop() {
    this.#stopping ??= this.#halt();
    this.#stopping.catch(() => {}); // who sent, regenerated or resumed hears of it
  }

  /** Ends the reading, as soon as the service has the question. */
  leave() {
    this.isLeft = true;
    if (this.isBegun) {
      this.#reading.abort();
    }
  }

  /**
   * Reads with callbacks what has no iterator.
   * @param {{streamId: string} | {idempotencyKey: string}} name what the service knows it by
   * @param {(options: Options) => Promise<boolean | void>} open
   */
  async #follow(name, open) {
    this.#halt = async () => {
      this.#reading.abort();
      const { message } = await this.#sdk.stop(name);
      this.#take({ type: "complete", message });
    };
    try {
      return await open({
        signal: this.signal,
        detachOnAbort: true,
        onStart: (start) => this.#take({ type: "start", ...start }),
        onChunk: (text) => this.#take({ type: "chunk", text }),
        onMessageObject: (object) => this.#take({ type: "message_object", object }),
        onDocumentChunk: (text) => this.#take({ type: "document_chunk", text }),
        onToolCall: (call) => this.#take({ type: "tool_call", call }),
        onChatNameUpdate: (chatName) => this.#take({ type: "chat_name", name: chatName }),
        onComplete: (message) => this.#take({ type: "complete", message }),
      });
    } catch (error) {
      if (this.#stopping === undefined) {
        throw error;
      }
      await this.#stopping;
      return true;
    }
  }

  /** @param {StreamEvent} event */
  #take(event) {
    this.isBegun = true;
    if (this.isLeft) {
      this.#reading.abort();
    } else {
      this.#tell(event);
    }
  }
}

/**
 * @typedef {import("../../dist/chatsdk.d.ts").StreamEvent} StreamEvent
 * @typedef {import("../../dist/chatsdk.d.ts").RegenerateMessageOptions} Options
 */

/**
 * An answer that is being written, and the connection that reads it. They are separate: the service
 * continues to write when nobody reads, and the page can begin to read again.
 */
export class Answer {
  /** The service has the question: it continues the answer when the reading ends. */
  isBegun = false;
  /** The reader has left the chat. */
  isLeft = false;

  #sdk;
  #tell;
  #reading = new AbortController();
  #halt = async () => this.#reading.abort();
  /** @type {Promise<unknown> | undefined} */
  #stopping;

  /** @param {import("../../dist/chatsdk.d.ts").ChatSDK} sdk @param {(event: StreamEvent) => void} tell receives each event. */
  constructor(sdk, tell) {
    this.#sdk = sdk;
    this.#tell = tell;
  }

  /** Also ends the requests before the answer. */
  get signal() {
    return this.#reading.signal;
  }

  get isStopping() {
    return this.#stopping !== undefined;
  }

  /** Sends a message. @param {string} text @param {import("../../dist/chatsdk.d.ts").SendMessageOptions} options */
  async send(text, options) {
    const stream = this.#sdk.stream(text, { ...options, signal: this.signal, detachOnAbort: true, reasoning: true });
    this.#halt = async () => void (await stream.stop());
    for await (const event of stream) {
      this.#take(event);
    }
  }

  /** Makes the service write another version of an answer. @param {string} chatId @param {string} messageId */
  async regenerate(chatId, messageId) {
    const idempotencyKey = crypto.randomUUID();
    await this.#follow({ idempotencyKey }, (options) => this.#sdk.regenerateMessage(chatId, messageId, { ...options, idempotencyKey }));
  }

  /**
   * Follows an answer that is being written, on the chat's path or not, from its first chunk. Resolves
   * to whether it was still being written.
   * @param {string} chatId @param {string} messageId @param {string} streamId
   */
  async resume(chatId, messageId, streamId) {
    this.isBegun = true;
    return this.#follow({ streamId }, (options) => this.#sdk.resumeStream(chatId, { ...options, messageId }));
  }

  /** Makes the service stop the answer. The text so far is then the answer. */
  stop() {
    this.#stopping ??= this.#halt();
    this.#stopping.catch(() => {}); // the method that reads the answer reports the failure
  }

  /** Ends the reading, but not before the service has the question. */
  leave() {
    this.isLeft = true;
    if (this.isBegun) {
      this.#reading.abort();
    }
  }

  /**
   * Reads an answer with callbacks, for methods without an iterator.
   * @param {{streamId: string} | {idempotencyKey: string}} name identifies the answer
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
        onReasoning: (text) => this.#take({ type: "reasoning", text }),
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

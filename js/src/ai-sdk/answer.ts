import type { Message, StreamCallbacks, StreamEvent } from "chatsdk";
import type { FinishReason, UIMessageChunk } from "ai";

import { attachments, metadataOf } from "./message.js";

const textId = "text";

/** @internal */
export type Write = (answer: Answer, signal: AbortSignal) => Promise<void>;

/**
 * The chunks of an answer. Nothing is asked for before the first is read. Those
 * that wait come before a failure, and deltas that wait are read as one.
 *
 * @internal
 */
export function readAnswer(write: Write, signal: AbortSignal | undefined): ReadableStream<UIMessageChunk> {
  const reading = new AbortController();
  const abort = () => reading.abort(signal?.reason);
  const answer = new Answer();
  let written: Promise<void> | undefined;
  const begin = async () => {
    if (signal?.aborted) {
      abort();
    }
    signal?.addEventListener("abort", abort, { signal: reading.signal });
    try {
      await write(answer, reading.signal);
      answer.end();
    } catch (error) {
      answer.end({ error });
    }
    signal?.removeEventListener("abort", abort);
  };
  return new ReadableStream({
    async pull(controller) {
      written ??= begin();
      const chunk = await answer.next();
      if (chunk === undefined) {
        controller.close();
      } else {
        controller.enqueue(chunk);
      }
    },
    cancel(reason) {
      reading.abort(reason);
    },
  }, { highWaterMark: 0 });
}

/**
 * Makes chunks of the events of an answer, and keeps them for their reader.
 *
 * @internal
 */
export class Answer {
  /** Takes the events from the methods that have callbacks. */
  readonly callbacks: StreamCallbacks = {
    onChunk: (text) => this.take({ type: "chunk", text }),
    onMessageObject: (object) => this.take({ type: "message_object", object }),
    onDocumentChunk: (text) => this.take({ type: "document_chunk", text }),
    onChatNameUpdate: (name) => this.take({ type: "chat_name", name }),
    onComplete: (message) => this.take({ type: "complete", message }),
  };

  readonly #waiting: UIMessageChunk[] = [];
  #wake = () => {};
  #end: { error?: unknown } | undefined;
  #open = false;

  /** Begins a message of that id, which stays known when it is stopped, or of one that the AI SDK gives it. */
  start(messageId?: string): void {
    this.#put({ type: "start", ...(messageId && { messageId, messageMetadata: { message_id: messageId } }) });
  }

  take(event: StreamEvent): void {
    switch (event.type) {
      case "start":
        this.start(event.message_id);
        break;
      case "chunk":
        this.#text(event.text);
        break;
      case "message_object":
        this.#put({ type: "data-message-object", data: event.object });
        break;
      case "document_chunk":
        this.#put({ type: "data-document-chunk", data: { text: event.text }, transient: true });
        break;
      case "chat_name":
        this.#put({ type: "data-chat-name", data: { name: event.name }, transient: true });
        break;
      case "complete":
        this.#complete(event.message);
        break;
    }
  }

  /** Nothing more comes; with an error, it is what the reader meets behind the last chunk. */
  end(failure: { error?: unknown } = {}): void {
    this.#close();
    this.#end = failure;
    this.#wake();
  }

  /** The next chunk, undefined at the end. */
  async next(): Promise<UIMessageChunk | undefined> {
    while (this.#waiting.length === 0 && this.#end === undefined) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    const chunk = this.#waiting.shift();
    if (chunk === undefined && this.#end && "error" in this.#end) {
      throw this.#end.error;
    }
    return chunk;
  }

  #text(text: string): void {
    if (!this.#open) {
      this.#open = true;
      this.#put({ type: "text-start", id: textId });
    }
    const last = this.#waiting.at(-1);
    if (last?.type === "text-delta") {
      last.delta += text;
    } else {
      this.#put({ type: "text-delta", id: textId, delta: text });
    }
  }

  #complete(message: Message): void {
    this.#close();
    for (const part of attachments(message)) {
      this.#put(part);
    }
    this.#put({ type: "finish", finishReason: finishReason(message), messageMetadata: metadataOf(message) });
  }

  #close(): void {
    if (this.#open) {
      this.#open = false;
      this.#put({ type: "text-end", id: textId });
    }
  }

  #put(chunk: UIMessageChunk): void {
    this.#waiting.push(chunk);
    this.#wake();
  }
}

function finishReason({ finish_reason: reason }: Message): FinishReason {
  return reason === undefined || reason === "stopped" ? "other" : reason;
}

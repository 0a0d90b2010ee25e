import type { Message, StreamCallbacks, StreamEvent, ToolCall } from "chatsdk";
import type { FinishReason, UIMessage, UIMessageChunk } from "ai";

import { isOld, isOpen, waits } from "../calls.js";
import { attachments, type ChatSDKMetadata, metadataOf, remember, unfinished } from "./message.js";
import { callOf, chunksOf } from "./tools.js";

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
      answer.fail(failureOf(error, reading.signal), reading.signal.aborted);
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
 * What is told of a failure. The AI SDK takes any AbortError for its own stop():
 * that of an SDK which was closed has to be another error.
 *
 * @internal
 */
export function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  const isOurs = error instanceof Error && error.name === "AbortError" && !signal?.aborted;
  return isOurs ? new Error(error.message, { cause: error }) : error;
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
    onToolCall: (call) => this.take({ type: "tool_call", call }),
    onChatNameUpdate: (name) => this.take({ type: "chat_name", name }),
    onComplete: (message) => this.take({ type: "complete", message }),
  };

  readonly #waiting: UIMessageChunk[] = [];
  /** The parts beside the text, which are put again when all parts are taken back. */
  readonly #data: UIMessageChunk[] = [];
  #wake = () => {};
  #end: { error?: unknown } | undefined;
  #open = false;
  /** Its text so far, of which its reader has that many characters from before. */
  #shown = "";
  #known = 0;
  /** How many objects beside the text its reader has from before. */
  #objects = 0;
  /** Its calls, as its reader was given them. */
  readonly #calls = new Map<string, ToolCall>();
  /** A text that begins now is set apart from a call. */
  #isApart = false;
  #id = "";
  #isParked = false;
  #question = "";
  #part = { id: "", isAnew: false };
  /** Is told when there is news of a call. */
  onCall = () => {};

  /** What the service calls it. */
  get id(): string {
    return this.#id;
  }

  /** That of its stream, where its calls tell. */
  get streamId(): string | undefined {
    return this.#calls.values().next().value?.stream_id;
  }

  /** It goes no further before somebody decides. */
  get waits(): boolean {
    return waits(this.#calls.values());
  }

  /** A call of it is not settled. */
  get calls(): boolean {
    return [...this.#calls.values()].some(isOpen);
  }

  /** Its reader was told that it waits, and hears no more of it. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** What comes is the answer to a question, written again beside an old one, which a service of an older version replaces. */
  startAnew(question: string, old: string): void {
    this.#question = question;
    this.#part = { id: old, isAnew: true };
  }

  /** Begins the message of that id as the answer to a question; `isAnew` if it takes the place of an old answer. */
  start(question: string, id: string, isAnew = false): void {
    this.#question = question;
    this.#part = { id, isAnew };
    this.#id = id;
    this.#put({ type: "start", messageId: id, ...(!isAnew && { messageMetadata: { message_id: id } }) });
  }

  /** Goes on with a message that has waited: its reader has all that stands in it. */
  carryOn({ id, parts, metadata }: UIMessage): void {
    const { message_id: own = id, parent_id: question = "" } = (metadata ?? {}) as ChatSDKMetadata;
    this.#question = question;
    this.#part = { id: own, isAnew: false };
    this.#id = own;
    for (const part of parts) {
      const call = callOf(part);
      if (call) {
        this.#calls.set(call.id, call);
        this.#known = call.at;
      }
      if (part.type === "text" && part.text !== "") {
        this.#known += part.text.length + (this.#calls.size > 0 ? 2 : 0);
      }
      this.#objects += part.type === "data-message-object" ? 1 : 0;
    }
    this.#isApart = parts.at(-1)?.type !== "text";
    this.#put({ type: "start", messageId: id });
  }

  /** Tells its reader that it waits for a decision; the rest comes another time. */
  park(): void {
    this.#isParked = true;
    this.#close();
    this.#put({ type: "finish", finishReason: "tool-calls", messageMetadata: { message_id: this.#id, ...(this.#question && { parent_id: this.#question }) } });
    if (this.#question) {
      remember(this.#question, { ...this.#part, hasFailed: false });
    }
  }

  take(event: StreamEvent): void {
    if (this.#isParked) {
      return;
    }
    switch (event.type) {
      case "start":
        this.#id = event.message_id;
        if (this.#part.isAnew) {
          this.#put({ type: "start", messageId: event.message_id, messageMetadata: { message_id: event.message_id } });
        } else {
          this.start(event.user_message_id ?? "", event.message_id);
        }
        break;
      case "chunk":
        this.#text(event.text);
        break;
      case "message_object":
        this.#data.push({ type: "data-message-object", data: event.object });
        if (this.#objects-- <= 0) {
          this.#put({ type: "data-message-object", data: event.object });
        }
        break;
      case "tool_call":
        this.#call(event.call);
        this.onCall();
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

  /** Nothing more comes. */
  end(): void {
    this.#finish({});
  }

  /** Nothing more comes but an error, behind the last chunk. */
  fail(error: unknown, isAborted: boolean): void {
    this.#remember(!isAborted);
    this.#finish({ error });
  }

  #finish(end: { error?: unknown }): void {
    this.#close();
    this.#end = end;
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

  #text(whole: string): void {
    const isNew = Math.max(0, this.#known - this.#shown.length);
    this.#shown += whole;
    let text = whole.slice(isNew);
    if (this.#isApart && text !== "") {
      this.#isApart = false;
      text = text.replace(/^\n\n/, "");
    }
    if (text === "") {
      return;
    }
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

  #call(call: ToolCall): void {
    const known = this.#calls.get(call.id);
    if (known !== undefined && isOld(call, known)) {
      return;
    }
    if (known === undefined) {
      this.#close();
      this.#isApart = true;
    }
    chunksOf(call, known).forEach((chunk) => this.#put(chunk));
    this.#calls.set(call.id, call);
  }

  /** Shows the message as the service has it, whatever was shown of it. */
  #complete(message: Message): void {
    unfinished.delete(this.#question);
    const { content, tool_calls: calls = [] } = message;
    if (!content.startsWith(this.#shown)) {
      this.#takeBack();
    }
    for (const call of calls) {
      this.#text(content.slice(this.#shown.length, Math.max(this.#shown.length, call.at)));
      this.#call(call);
    }
    this.#text(content.slice(this.#shown.length));
    this.#close();
    for (const part of attachments(message)) {
      this.#put(part);
    }
    this.#put({ type: "finish", finishReason: finishReason(message), messageMetadata: metadataOf(message) });
  }

  /** Has its reader drop the parts that it was given; those beside the text come again. */
  #takeBack(): void {
    this.#close();
    this.#shown = "";
    this.#known = this.#objects = 0;
    this.#calls.clear();
    this.#isApart = false;
    this.#put(resetStep(() => this.#remember(true)));
    this.#data.forEach((part) => this.#put(part));
  }

  /** Its reader has a part of it; who gave it up has not failed. */
  #remember(hasFailed: boolean): void {
    if (this.#question && (hasFailed || unfinished.has(this.#question))) {
      remember(this.#question, { ...this.#part, hasFailed });
    }
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

/**
 * Takes back all parts of a message, in ai 7. Versions 5 and 6 pass over what
 * they don't know, after a second look at its type: there the error has to tell
 * that the text which is shown is not the service's.
 */
function resetStep(cannot: () => void): UIMessageChunk {
  let looks = 0;
  return {
    get type(): "reset-step" {
      looks++;
      if (looks > 1) {
        cannot();
        throw new Error("the text that is shown is not the service's, and this version of ai cannot take it back, as 7 can; resumeStream() shows what it is");
      }
      return "reset-step";
    },
  };
}

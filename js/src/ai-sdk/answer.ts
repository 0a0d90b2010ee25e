import type { Message, StreamCallbacks, StreamEvent, ToolCall } from "chatsdk";
import type { FinishReason, UIMessage, UIMessageChunk } from "ai";

import { isOld, isOpen, waits } from "../call-state.js";
import { promise } from "../native.js";
import { attachments, type ChatSDKMetadata, metadataOf, remember, unfinished } from "./message.js";
import { callOf, chunksOf } from "./tools.js";

/** The kinds of text parts, which are their ids, too: an answer has one that is open at a time. */
type TextPart = "text" | "reasoning";

/** @internal */
export type Write = (answer: Answer, signal: AbortSignal) => Promise<void>;

/**
 * The chunks of an answer. Nothing is requested before the first chunk is read. Waiting chunks come
 * before a failure, and waiting deltas are read as one. `method` is what the page called.
 *
 * @internal
 */
export function readAnswer(write: Write, signal: AbortSignal | undefined, method: string): ReadableStream<UIMessageChunk> {
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
      answer.fail(failureOf(named(error, method), reading.signal), reading.signal.aborted);
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
 * The error that is shown for a failure. The AI SDK takes every AbortError as its own stop(), so
 * the AbortError of a closed SDK has to become another error.
 *
 * @internal
 */
export function failureOf(error: unknown, signal: AbortSignal | undefined): unknown {
  const isOurs = error instanceof Error && error.name === "AbortError" && !signal?.aborted;
  return isOurs ? new Error(error.message, { cause: error }) : error;
}

/** The calls of the SDK with which the transport does what the page called. */
const calls = /^(stream|resumeStream|regenerateMessage|getChatHistory|getMessage|stop|listToolCalls|approveToolCall|denyToolCall):/;

/**
 * A failure under the name of the method of useChat that was called.
 *
 * @internal
 */
export function named(error: unknown, method: string): unknown {
  if (error instanceof Error && !(error instanceof DOMException)) {
    error.message = error.message.replace(calls, `${method}:`);
  }
  return error;
}

/**
 * Turns the events of an answer into chunks, and keeps them for the reader.
 *
 * @internal
 */
export class Answer {
  /** Takes the events from the methods that have callbacks. */
  readonly callbacks: StreamCallbacks = {
    onChunk: (text) => this.take({ type: "chunk", text }),
    onReasoning: (text) => this.take({ type: "reasoning", text }),
    onMessageObject: (object) => this.take({ type: "message_object", object }),
    onDocumentChunk: (text) => this.take({ type: "document_chunk", text }),
    onToolCall: (call) => this.take({ type: "tool_call", call }),
    onChatNameUpdate: (name) => this.take({ type: "chat_name", name }),
    onComplete: (message) => this.take({ type: "complete", message }),
  };

  readonly #waiting: UIMessageChunk[] = [];
  /** The parts other than text, which are sent again when all parts are taken back. */
  readonly #data: UIMessageChunk[] = [];
  #wake = () => {};
  #end: { error?: unknown } | undefined;
  #open: TextPart | undefined;
  /** The text so far, and how many characters of it the reader already had. */
  #shown = "";
  #known = 0;
  /** The same of what the model thought. */
  #thought = "";
  #knownThought = 0;
  /** How many message objects the reader already had. */
  #objects = 0;
  /** The calls, as the reader last got them. */
  readonly #calls = new Map<string, ToolCall>();
  /** A text that begins now is separated from a call. */
  #isApart = false;
  #id = "";
  #isParked = false;
  #question = "";
  #part = { id: "", isAnew: false };
  /** Called when a call has changed. */
  onCall = () => {};

  /** The service's id of the message. */
  get id(): string {
    return this.#id;
  }

  /** The id of its stream, if its calls name one. */
  get streamId(): string | undefined {
    return this.#calls.values().next().value?.stream_id;
  }

  /** Whether the answer waits for a decision. */
  get waits(): boolean {
    return waits(this.#calls.values());
  }

  /** Whether a call of it is not settled. */
  get calls(): boolean {
    return [...this.#calls.values()].some(isOpen);
  }

  /** Whether the reader was told that the answer waits. It hears nothing more. */
  get isParked(): boolean {
    return this.#isParked;
  }

  /** The answer is a new version beside an old one. An older service replaces the old one. */
  startAnew(question: string, old: string): void {
    this.#question = question;
    this.#part = { id: old, isAnew: true };
  }

  /** Begins the message with this id as the answer to a question. `isAnew`: it replaces an old answer. */
  start(question: string, id: string, isAnew = false): void {
    this.#question = question;
    this.#part = { id, isAnew };
    this.#id = id;
    this.#put({ type: "start", messageId: id, ...(!isAnew && { messageMetadata: { message_id: id } }) });
  }

  /** Continues a message that has waited. The reader has all of its content. */
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
      if (part.type === "reasoning" && part.text !== "") {
        this.#knownThought += part.text.length + (this.#knownThought > 0 ? 2 : 0); // an empty line separates the rounds
      }
      this.#objects += part.type === "data-message-object" ? 1 : 0;
    }
    this.#isApart = parts.at(-1)?.type !== "text";
    this.#put({ type: "start", messageId: id });
  }

  /** Tells the reader that the answer waits for a decision. The rest comes later. */
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
      case "reasoning":
        this.#think(event.text);
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

  /** Ends the chunks. */
  end(): void {
    this.#finish({});
  }

  /** Ends the chunks with an error, after the last chunk. */
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
      await promise<void>((resolve) => {
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
    this.#write("text", text);
  }

  #think(whole: string): void {
    const isNew = Math.max(0, this.#knownThought - this.#thought.length);
    this.#thought += whole;
    const text = whole.slice(isNew);
    this.#write("reasoning", this.#open === "reasoning" ? text : text.replace(/^\n\n/, ""));
  }

  /** Adds to the open part, or begins one. */
  #write(part: TextPart, text: string): void {
    if (text === "") {
      return;
    }
    if (this.#open !== part) {
      this.#close();
      this.#open = part;
      this.#put({ type: `${part}-start`, id: part });
    }
    const last = this.#waiting.at(-1);
    if (last?.type === `${part}-delta`) {
      (last as { delta: string }).delta += text;
    } else {
      this.#put({ type: `${part}-delta`, id: part, delta: text });
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

  /** Shows the message as the service has it, whatever the reader has. */
  #complete(message: Message): void {
    unfinished.delete(this.#question);
    const { content, tool_calls: calls = [] } = message;
    if (!content.startsWith(this.#shown)) {
      this.#takeBack();
    }
    if (message.reasoning?.startsWith(this.#thought)) {
      this.#think(message.reasoning.slice(this.#thought.length));
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

  /** Makes the reader drop its parts. The parts other than text are sent again. */
  #takeBack(): void {
    this.#close();
    this.#shown = this.#thought = "";
    this.#known = this.#knownThought = this.#objects = 0;
    this.#calls.clear();
    this.#isApart = false;
    this.#put(resetStep(() => this.#remember(true)));
    this.#data.forEach((part) => this.#put(part));
  }

  /** Remembers that the reader has a part of the answer. An aborted reading is not a failure. */
  #remember(hasFailed: boolean): void {
    if (this.#question && (hasFailed || unfinished.has(this.#question))) {
      remember(this.#question, { ...this.#part, hasFailed });
    }
  }

  #close(): void {
    if (this.#open) {
      this.#put({ type: `${this.#open}-end`, id: this.#open });
      this.#open = undefined;
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
 * Takes back all parts of a message, in ai 7. Versions 5 and 6 skip unknown chunks after a second
 * look at their type: there the error has to say that the shown text is not the service's.
 */
function resetStep(cannot: () => void): UIMessageChunk {
  let looks = 0;
  return {
    get type(): "reset-step" {
      looks++;
      if (looks > 1) {
        cannot();
        throw new Error("the text that is shown is not the service's, and only ai 7 can take it back; resumeStream() shows the right text");
      }
      return "reset-step";
    },
  };
}

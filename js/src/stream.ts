import { checkSignal } from "./arguments.js";
import { receivers, visitEvents } from "./bindings.js";
import { asText } from "./callbacks.js";
import { abortError, placed, placeOf } from "./errors.js";
import { disposable, promise } from "./native.js";
import type { Message, StopReceipt, StreamEvent } from "./types.js";

declare global {
  /** The types of ES2022 do not have them; the types of Node declare the same. */
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
}

/**
 * What an {@link AnswerStream} reads from.
 *
 * @internal
 */
export interface StreamSource {
  /** Reads until the end. Aborting `signal` ends the reading only: the service finishes the answer. */
  read(onEvents: (events: string) => void, signal: AbortSignal): Promise<unknown>;
  /** Stops the answer; rejects if nothing was sent. `streamId` is undefined until the stream has begun. */
  stop(streamId: string | undefined): Promise<StopReceipt>;
  signal: AbortSignal | null | undefined;
  detachOnAbort: boolean | null | undefined;
}

interface Resolvers<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

type Waiting = Resolvers<IteratorResult<StreamEvent, undefined>>;

/**
 * The events of an answer that is being written, in order, for one reader. Leaving the
 * `for await` stops the answer, unless it is waiting for a tool call or `detachOnAbort` is set.
 */
export class AnswerStream implements AsyncIterable<StreamEvent> {
  /** The whole answer; after a stop, the text up to the stop. Rejects if the answer fails. */
  readonly result: Promise<Message>;

  /**
   * `using answer = sdk.stream(…)` leaves the answer at the end of its block, as leaving the `for await` does.
   *
   * @throws Nothing.
   * @example
   * ```ts
   * using answer = sdk.stream("Tell me a story", { chatId });
   * for await (const event of answer) {
   *   if (event.type === "chunk") page.append(event.text);
   * }
   * ```
   */
  declare readonly [Symbol.dispose]: () => void;

  /**
   * `await using answer = sdk.stream(…)` leaves the answer at the end of its block, and waits until the service has stopped it.
   *
   * @throws Nothing. If the service could not be told, the answer is finished and kept.
   * @example
   * ```ts
   * await using answer = sdk.stream("Tell me a story", { chatId });
   * for await (const event of answer) {
   *   if (event.type === "chunk" && event.text.includes("dragon")) break;
   * }
   * ```
   */
  declare readonly [Symbol.asyncDispose]: () => Promise<void>;

  readonly #source: StreamSource;
  readonly #reading = new AbortController();
  readonly #settle: Omit<Resolvers<Message>, "promise">;
  #events: StreamEvent[] = [];
  // The oldest events in reverse order, so that pop() returns the next. shift() on a long array is slow.
  #oldest: StreamEvent[] = [];
  readonly #waiting: Waiting[] = [];
  #text = "";
  #streamId: string | undefined;
  /** The ids of the calls that wait, may be carried out, or are running, as in isOpen of sdk/parked.go. */
  readonly #open = new Set<string>();
  #hasReader = false;
  #complete = false;
  #ended = false;
  #failure: { error: unknown } | undefined;
  #stopping: Promise<StopReceipt> | undefined;
  /** The stop of an answer that its reader left. */
  #left: Promise<StopReceipt> | undefined;

  /**
   * For Vue, as in ChatSDK.
   *
   * @internal
   */
  get [Symbol.toStringTag](): string {
    return "AnswerStream";
  }

  /** @internal */
  constructor(source: StreamSource) {
    this.#source = source;
    const { promise, ...settle } = withResolvers<Message>();
    this.result = promise;
    this.#settle = settle;
    promise.catch(() => {}); // the reader of the events gets the error
    disposable(this, async () => {
      this.#leave(new DOMException("the reader left", "AbortError"));
      await (this.#stopping ?? this.#left)?.catch(() => {});
    });
    void this.#read();
  }

  /**
   * Stops the answer and returns its final state. The last events are the missing part of the text,
   * `complete` and `end`. A second call returns the same promise.
   *
   * @throws {DOMException} An `AbortError` if the message was not sent completely: it is not sent at all.
   * @throws {APIError} If the service could not be told.
   * @example
   * ```ts
   * const answer = sdk.stream("Tell me a story", { chatId });
   * button.onclick = () => answer.stop();
   * console.log((await answer.result).content);
   * ```
   */
  stop(): Promise<StopReceipt> {
    const here = placeOf(AnswerStream.prototype.stop);
    this.#stopping ??= this.#stop().catch((error: unknown) => {
      throw placed(error, here);
    });
    return this.#stopping;
  }

  /**
   * Reads the events. Leaving the `for await` stops the answer.
   *
   * @throws {DOMException} An `InvalidStateError` if it was read before: an answer has one reader. Reading throws the answer's failure.
   * @example
   * ```ts
   * for await (const event of sdk.stream("Tell me a story")) {
   *   if (event.type === "chunk") page.append(event.text);
   * }
   * ```
   */
  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined> {
    if (this.#hasReader) {
      throw new DOMException("this AnswerStream was read already; read it once, or take its result", "InvalidStateError");
    }
    this.#hasReader = true;
    const done = { done: true, value: undefined } as const;
    let left = false;
    return {
      next: async () => (left ? done : this.#next()),
      return: async () => {
        left = true;
        this.#leave(new DOMException("the reader left", "AbortError"));
        return done;
      },
    };
  }

  async #read(): Promise<void> {
    const { signal } = this.#source;
    const abort = () => {
      this.#leave(signal ? abortError(signal) : undefined);
    };
    try {
      checkSignal("stream", signal);
      signal?.addEventListener("abort", abort, { signal: this.#reading.signal });
      await this.#source.read((events) => this.#take(events), this.#reading.signal);
      this.#end();
    } catch (error) {
      if (!this.#stopping) {
        this.#fail(error);
      }
    } finally {
      this.#reading.abort(); // removes the listener from the signal
    }
  }

  async #stop(): Promise<StopReceipt> {
    this.#reading.abort();
    try {
      const receipt = await this.#source.stop(this.#streamId);
      this.#finish(asText(receipt.message));
      return receipt;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Ends the stream with the service's answer. */
  #finish(message: Message): void {
    if (this.#failure) {
      return;
    }
    if (this.#complete) {
      this.#end();
      return;
    }
    if (message.content.length > this.#text.length && message.content.startsWith(this.#text)) {
      this.#give({ type: "chunk", text: message.content.slice(this.#text.length) });
    }
    this.#give({ type: "complete", message });
    this.#end();
  }

  /** Called when nobody reads any more. */
  #leave(error: unknown): void {
    if (this.#ended || this.#failure) {
      return;
    }
    this.#events.length = this.#oldest.length = 0;
    this.#fail(error);
    this.#reading.abort();
    if (!this.#complete && !this.#source.detachOnAbort && !this.#stopping && this.#open.size === 0) {
      this.#left = this.#source.stop(this.#streamId);
      this.#left.catch(() => {}); // the answer is then finished and kept
    }
  }

  #take(json: string): void {
    visitEvents(json, (type, value) => {
      if (this.#reading.signal.aborted) {
        return false;
      }
      if (type === "start") {
        this.#streamId = value.stream_id;
        this.#give({ type, ...value });
      } else if (type === "chunk") {
        this.#text += value;
        this.#give({ type, text: value });
      } else if (type !== "end") {
        if (type === "tool_call") {
          this.#open[["awaiting", "approved", "running"].includes(value.status) ? "add" : "delete"](value.id);
        }
        const field = receivers[type]?.[1] ?? "";
        this.#give({ type, [field]: type === "complete" ? asText(value) : value } as StreamEvent);
      }
      return true;
    });
  }

  #give(event: StreamEvent): void {
    if (event.type === "complete") {
      this.#complete = true;
      this.#settle.resolve(event.message);
    }
    const reader = this.#waiting.shift();
    if (!reader) {
      this.#events.push(event);
    } else {
      reader.resolve({ done: false, value: event });
    }
  }

  #end(): void {
    if (this.#ended || this.#failure) {
      return;
    }
    this.#give({ type: "end" });
    this.#ended = true;
    for (const reader of this.#waiting.splice(0)) {
      reader.resolve({ done: true, value: undefined });
    }
  }

  #fail(error: unknown): void {
    if (this.#ended || this.#failure) {
      return;
    }
    this.#failure = { error };
    this.#settle.reject(error);
    for (const reader of this.#waiting.splice(0)) {
      reader.reject(error);
    }
  }

  async #next(): Promise<IteratorResult<StreamEvent, undefined>> {
    if (this.#oldest.length === 0) {
      this.#oldest = this.#events.reverse();
      this.#events = [];
    }
    const value = this.#oldest.pop();
    if (value) {
      return { done: false, value };
    }
    if (this.#failure) {
      throw this.#failure.error;
    }
    if (this.#ended) {
      return { done: true, value: undefined };
    }
    const reader = withResolvers<IteratorResult<StreamEvent, undefined>>();
    this.#waiting.push(reader);
    return reader.promise;
  }
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers<T>(): Resolvers<T> {
  let settle!: Omit<Resolvers<T>, "promise">;
  return { promise: promise((resolve, reject) => (settle = { resolve, reject })), ...settle };
}

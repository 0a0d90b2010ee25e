import { type Go, loader } from "wasm_exec";

import { type Bindings, type Exports, type Head, type Host, type Operation, type OperationName, read } from "./bindings.js";
import { inBrowser, inPlay } from "./config.js";
import { typeName } from "./errors.js";
import { type Call, Exchange } from "./exchange.js";
import { json, promise } from "./native.js";
import { refusal, scope, upload } from "./platform.js";
import { holds } from "./shape.js";
import { textOf } from "./thrown.js";
import type { Fetch } from "./upload.js";
import { listen } from "./wake.js";

/** How many feeds come between two resumes. Without resumes Go's garbage collection never finishes. */
const feedsBetween = 32;

/**
 * One running instance of the Go program, in a page or in a worker. It does not create the SDK's errors itself: in a
 * worker their classes are in the page.
 */
export class Core {
  #bindings: Bindings | undefined;
  #operations: string[] = [];
  #go: Go;
  #exports: Exports | undefined;
  readonly #decoder: { decode(bytes: Uint8Array): string };
  readonly #encoder: { encode(text: string): Uint8Array };
  #dead: Error | undefined;
  readonly #calls = new Map<number, Call>();
  readonly #exchanges = new Map<number, Exchange>();
  #lastCall = 0;
  readonly #listening = new AbortController();
  readonly #error: Host["error"];
  readonly #onEnd: (dead: Error) => void;
  /** How many clients are open. */
  clients = 0;

  private constructor(onEnd: (dead: Error) => void, error: Host["error"]) {
    this.#onEnd = onEnd;
    this.#error = error;
    const globals = scope(this.#host());
    this.#decoder = new globals.TextDecoder("utf-8", { ignoreBOM: true });
    this.#encoder = new globals.TextEncoder();
    const Loader = loader(globals);
    this.#go = new Loader();
    this.#guard();
  }

  /** Starts the program. `onEnd` is called when it is gone, before any rejection. `error` makes the errors. */
  static async start(
    instantiate: (imports: WebAssembly.Imports) => Promise<WebAssembly.Instance>, onEnd: (dead: Error) => void, error: Host["error"],
  ): Promise<Core> {
    const core = new Core(onEnd, error);
    const instance = await instantiate(core.#go.importObject);
    core.#exports = instance.exports as unknown as Exports;
    // main runs until it blocks, so the bindings exist when run returns.
    core.#go.run(instance).then(
      () => core.#crash("it ended"),
      (cause: unknown) => core.#crash(String(cause), cause),
    );
    if (!core.#bindings) {
      core.#dead ??= core.#failure("chatsdk.wasm is not the one that belongs to this script", "NETWORK");
      throw core.#dead;
    }
    // The listeners keep the core alive, and only a browser calls them.
    if (inBrowser()) {
      listen(() => core.bindings.wake(), () => core.bindings.goOffline(), core.#listening.signal);
    }
    return core;
  }

  /** The published functions. After a crash they do nothing. */
  get bindings(): Bindings {
    if (!this.#bindings) {
      throw this.#dead;
    }
    return this.#bindings;
  }

  /** Whether it has calls. */
  get busy(): boolean {
    return this.#calls.size > 0;
  }

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Frees the program, which nobody uses any more. */
  end(): void {
    this.#go.exited = true;
    this.#crash("it was closed");
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(name: OperationName, ...[client, args, images, onEvents, signal, onProgress, onLog]: Parameters<Operation>): Promise<unknown> {
    return promise((resolve, reject) => {
      if (this.#dead) {
        reject(this.#dead);
        return;
      }
      this.#lastCall += 1;
      const id = this.#lastCall;
      const abort = () => this.#enter((program) => program.abort(id));
      this.#calls.set(id, { resolve, reject, images, onEvents, onProgress, onLog, leave: () => signal?.removeEventListener("abort", abort) });
      signal?.addEventListener("abort", abort);
      this.#enter((program) => {
        this.#write(this.#encoder.encode(args), true);
        program.call(id, client, this.#operations.indexOf(name));
        if (signal?.aborted) {
          program.abort(id);
        }
      });
    });
  }

  #host(): Host {
    const redirect = refusal();
    return {
      publish: (bindings, operations) => {
        this.#bindings = bindings;
        this.#operations = operations.split(" ");
      },
      crash: (message) => this.#crash(message),
      error: this.#error,
      settle: (id, answer, length, failure) => {
        const call = this.#calls.get(id);
        this.#calls.delete(id);
        call?.leave();
        try {
          if (failure) {
            throw failure;
          }
          call?.resolve(call.answer ?? (length > 0 ? read(this.#text(answer, length)) : undefined));
        } catch (error) {
          call?.reject(error);
        }
      },
      events: (id, events, length) => this.#calls.get(id)?.onEvents?.(this.#text(events, length)),
      log: (id, entry) => this.#calls.get(id)?.onLog?.(entry),
      sizes: (id) => {
        const images = this.#calls.get(id)?.images;
        return images && json(images.map((part) => typeof part === "string" ? -this.#encoder.encode(part).length : part.size));
      },
      textOf,
      token: (id, accessToken) => {
        accessToken().then((token) => this.bindings.take(id, false, token), (cause: unknown) => this.#fail(id, cause));
      },
      tool: (id, carry, name, callId, args, length) => {
        const exchange = new Exchange();
        this.#exchanges.set(id, exchange);
        carry(name, callId, this.#text(args, length), exchange.controller.signal)
          .finally(() => this.#exchanges.delete(id))
          .then((result) => this.bindings.take(id, false, result), (cause: unknown) => this.#fail(id, cause));
      },
      request: (id, call, head, headLength, body, bodyLength, own) => {
        const { url, form, passes, ...init } = read<Head>(this.#text(head, headLength));
        const caller = this.#calls.get(call);
        const { images, onEvents, onProgress } = caller ?? {};
        const exchange = new Exchange(onEvents, passes && caller ? { to: caller, shape: passes } : undefined);
        this.#exchanges.set(id, exchange);
        let whole = body ? this.#text(body, bodyLength) : form && new FormData();
        for (const [name, value] of form ?? []) {
          (whole as FormData).append(name, typeof value === "string" ? value : images?.[value] as string);
        }
        void this.#fetch(id, exchange, url, {
          ...init, ...(whole !== undefined && { body: whole }), signal: exchange.controller.signal, credentials: "omit", cache: "no-store", redirect,
        }, own, form && onProgress);
      },
      pump: (id) => void this.#pump(id),
      sinceRead: (id) => this.#exchanges.get(id)?.clock.ago() ?? 0,
      abort: (id) => this.#exchanges.get(id)?.controller.abort(),
      finish: (id) => this.#exchanges.delete(id),
    };
  }

  async #fetch(id: number, exchange: Exchange, url: string, init: RequestInit, own: Fetch | undefined, onProgress: Call["onProgress"]): Promise<void> {
    try {
      await undefined; // called from the program's stack frames, fetch takes a browser half as long again
      // jsdom has no fetch, and Node's fetch does not know its forms.
      const response = await (onProgress || (inPlay() && !own) ? upload(url, init, onProgress, own) : (own ?? fetch)(url, init));
      exchange.response = response;
      if (own && !response?.headers) {
        throw new TypeError(`the setting fetch gave ${typeName(response)}, want a Response`);
      }
      const { headers, ok, status } = response;
      const type = headers.get("content-type") ?? "";
      const stream = ok && /^text\/event-stream\s*(;|$)/i.test(type);
      // happy-dom does not change names to lower case.
      const fields = Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), value]));
      const { "retry-after": wait = "" } = fields;
      if (/\D/.test(wait)) {
        fields["retry-after"] = `${Math.ceil(Math.max(0, Date.parse(wait) - Date.now()) / 1000)}`; // the program reads no dates
      }
      let passed = "";
      let body: Uint8Array | undefined;
      try {
        body = stream ? undefined : new Uint8Array(await response.arrayBuffer());
        if (exchange.passes && ok && type.startsWith("application/json") && !headers.has("x-has-more") && body?.[0] === brace) {
          try {
            const answer: unknown = read(this.#decoder.decode(body));
            if (holds(answer, exchange.passes.shape)) {
              exchange.passes.to.answer = answer;
              body = this.#encoder.encode("{}");
              passed = "1";
            }
          } catch {
            // The program reports the fault.
          }
        }
      } finally {
        this.#guarded((program) => {
          this.#write(this.#encoder.encode(json({ ...fields, status, stream, ":passed": passed })), true);
          program.came(id);
          if (body) {
            this.#write(body, true);
            program.came(id);
          }
        });
      }
      this.#go._resume();
    } catch (cause) {
      this.#fail(id, cause);
    }
  }

  #fail(id: number, cause: unknown): void {
    this.#bindings?.take(id, true, cause);
  }

  /**
   * Reads a stream for the program. An exported function copies the bytes of each read into the
   * program's memory and decodes them there. No goroutine wakes up, and nothing else crosses the
   * border.
   */
  async #pump(id: number): Promise<void> {
    const exchange = this.#exchanges.get(id) as Exchange;
    const { response } = exchange;
    if (response?.body && !exchange.reader) {
      exchange.reader = response.body.getReader();
    }
    exchange.clock.touch();
    try {
      for (let feeds = 1, more = true; more; feeds++) {
        const value = (await exchange.reader?.read())?.value;
        exchange.clock.touch();
        if (value !== undefined && !ArrayBuffer.isView(value)) {
          throw new TypeError("the response's stream gives something other than bytes");
        }
        more = value !== undefined && this.#feed(id, value, exchange.onEvents);
        if (feeds % feedsBetween === 0) {
          this.#go._resume();
        }
      }
      this.#enter((program) => {
        this.#write(nothing, true);
        program.came(id);
      });
    } catch (cause) {
      this.#fail(id, cause);
    }
  }

  /** Reports whether to read on. */
  #feed(id: number, value: Uint8Array, onEvents: Exchange["onEvents"]): boolean {
    if (this.#dead) {
      return false;
    }
    const program = this.#exports as Exports;
    let result = 1;
    try {
      this.#write(value, false);
      result = program.feed(id, value.length);
    } catch (cause) {
      this.#crash(String(cause), cause);
    }
    if (result > 3) {
      onEvents?.(this.#text(program.said(), result >> 2));
    }
    if (result & 2) {
      this.#go._resume();
    }
    return !(result & 1);
  }

  /** Calls an export of the program, unless it has ended. An exception ends it. */
  #guarded(work: (program: Exports) => void): void {
    if (this.#dead) {
      return;
    }
    try {
      work(this.#exports as Exports);
    } catch (cause) {
      this.#crash(String(cause), cause);
    }
  }

  /** Calls an export of the program, and runs the goroutines that it woke. */
  #enter(work: (program: Exports) => void): void {
    this.#guarded(work);
    this.#go._resume();
  }

  /** Writes the data of a call. */
  #write(bytes: Uint8Array, forGood: boolean): void {
    this.#memory((this.#exports as Exports).room(bytes.length, forGood), bytes.length).set(bytes);
  }

  #text(at: number, length: number): string {
    return this.#decoder.decode(this.#memory(at, length));
  }

  /** A part of the program's memory. Its buffer changes whenever the memory grows. */
  #memory(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#go.mem.buffer, at >>> 0, length);
  }

  /**
   * Any exception that leaves Go ends this instance. After that, late timers and callbacks must
   * find nothing to do: the loader would throw, or wait forever for a timer.
   */
  #guard(): void {
    const go = this.#go;
    const { _resume: resume } = go;
    go._resume = () => {
      if (this.#dead && go.exited) {
        return;
      }
      try {
        Reflect.apply(resume, go, []);
      } catch (cause) {
        this.#crash(String(cause), cause);
      }
      if (this.#dead) {
        this.#clearTimers();
      }
      this.#holdTimers();
    };
  }

  #failure(problem: string, code: string, cause?: unknown): Error {
    return this.#error("api", JSON.stringify({ message: `ChatSDK: ${problem}`, status: 0, code }), cause);
  }

  /** Makes a trap the cause of the error, because its stack names functions of the wasm. */
  #crash(message: string, cause?: unknown): void {
    if (this.#dead) {
      return;
    }
    this.#dead = this.#failure(`the core crashed (${message}); the next call starts it again`, "INTERNAL", cause);
    this.#onEnd(this.#dead);
    this.#listening.abort();
    this.#clearTimers();
    for (const call of this.#calls.values()) {
      call.leave();
      call.reject(this.#dead);
    }
    this.#calls.clear();
    for (const { controller } of this.#exchanges.values()) {
      controller.abort();
    }
  }

  /**
   * Keeps a Node program running as long as there are calls, requests or running tools, and no
   * longer: Go does not clear the last timer of a call, its timeout.
   */
  #holdTimers(): void {
    for (const timer of this.#go._scheduledTimeouts.values()) {
      if (typeof timer === "object") {
        (this.#calls.size + this.#exchanges.size > 0 ? timer.ref : timer.unref)?.call(timer);
      }
    }
  }

  #clearTimers(): void {
    for (const timer of this.#go._scheduledTimeouts.values()) {
      clearTimeout(timer);
    }
    this.#go._scheduledTimeouts.clear();
  }
}

const nothing = new Uint8Array();

/** The byte with which a JSON object begins. */
const brace = 0x7b;

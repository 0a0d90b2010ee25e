import { type Go, loader } from "wasm_exec";

import { type Exports, type Head, type Host, read } from "./bindings.js";
import { compile, instantiate } from "./compile.js";
import { inPlay } from "./config.js";
import { APIError, coreError, failureOf, typeName } from "./errors.js";
import type { CallMessage, FromCore, Port, ToCore } from "./messages.js";
import { json } from "./native.js";
import type { WasmModule } from "./options.js";
import { Clock, refusal, scope, upload } from "./platform.js";
import { holds } from "./shape.js";
import { textOf } from "./thrown.js";
import type { Fetch, OnProgress } from "./upload.js";

/** How many feeds come between two resumes. Without resumes Go's garbage collection never finishes. */
const feedsBetween = 32;

/** A call under way, and its result, if the program need not see it. */
interface Running extends CallMessage {
  result?: unknown;
}

/** A request of the program, of a call or of no call (0). */
class Exchange {
  readonly controller = new AbortController();
  response: Response | undefined;
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly clock = new Clock();

  constructor(
    readonly call: number,
    /** What the body must hold, if the call gets it directly. */
    readonly shape: unknown,
  ) {}
}

/** One running instance of the Go program, in a page or in a worker. It has no functions of the page, except its own `fetch`. */
export class Core implements Port {
  #go: Go;
  #exports: Exports | undefined;
  readonly #post: (message: FromCore) => void;
  readonly #decoder: { decode(bytes: Uint8Array): string };
  readonly #encoder: { encode(text: string): Uint8Array };
  #dead = false;
  /** What {@link Host.value} gives. */
  #value: unknown;
  readonly #calls = new Map<number, Running>();
  readonly #exchanges = new Map<number, Exchange>();
  /** The tools that run. */
  readonly #tools = new Set<number>();
  /** Aborts the download. */
  readonly #ending = new AbortController();

  /** The core gives its messages to `post`. */
  constructor(post: (message: FromCore) => void) {
    this.#post = post;
    const globals = scope(this.#host());
    this.#decoder = new globals.TextDecoder("utf-8", { ignoreBOM: true });
    this.#encoder = new globals.TextEncoder();
    const Loader = loader(globals);
    this.#go = new Loader();
    this.#guard();
  }

  /** Does what a message says. */
  post(message: ToCore): void {
    if (message.kind === "start") {
      void this.#start(message.wasm, message.pastCache);
      return;
    }
    if (message.kind === "call") {
      this.#calls.set(message.id, { ...message });
    } else if (message.kind === "open") {
      this.#value = message.fetch;
    } else if (message.kind === "given" || message.kind === "threw") {
      this.#tools.delete(message.ask);
      this.#value = message.kind === "given" ? message.value : message.reason;
    }
    this.#enter((program) => {
      this.#write(this.#encoder.encode(JSON.stringify(message, heard)), true);
      program.hear();
    });
  }

  end(): void {
    this.#go.exited = true;
    this.#crash("it was closed");
  }

  async #start(wasm: WasmModule | string, pastCache: boolean): Promise<void> {
    try {
      const module = typeof wasm === "string" ? await compile(wasm, pastCache, this.#ending.signal) : wasm;
      const instance = await instantiate(module, this.#go.importObject);
      if (this.#dead) {
        return;
      }
      this.#exports = instance.exports as unknown as Exports;
      if (!("hear" in this.#exports)) {
        throw coreError("chatsdk.wasm is not the one that belongs to this script");
      }
      // main runs until it blocks, so it hears messages when run returns.
      this.#go.run(instance).then(
        () => this.#crash("it ended"),
        (cause: unknown) => this.#crash(String(cause), cause),
      );
      this.#post({ kind: "started", module });
    } catch (error) {
      this.#die(error);
    }
  }

  #host(): Host {
    const redirect = refusal();
    return {
      crash: (message) => this.#crash(message),
      post: (at, length, cause) => {
        const message = read<FromCore>(this.#text(at, length));
        switch (message.kind) {
          case "done": {
            const running = this.#calls.get(message.id);
            this.#calls.delete(message.id);
            this.#post({ ...message, result: running?.result ?? message.result });
            break;
          }
          case "failed":
            this.#calls.delete(message.id);
            this.#post({ ...message, failure: { ...message.failure, cause } });
            break;
          case "tool":
            this.#tools.add(message.ask);
            this.#post(message);
            break;
          default:
            this.#post(message);
        }
      },
      events: (id, events, length) => this.#post({ kind: "events", id, events: this.#text(events, length) }),
      sizes: (id) => {
        const { files } = this.#calls.get(id) ?? {};
        return files && json(files.map((part) => typeof part === "string" ? -this.#encoder.encode(part).length : part.size));
      },
      textOf,
      value: () => {
        const value = this.#value;
        this.#value = undefined;
        return value;
      },
      request: (id, call, head, headLength, body, bodyLength, own) => {
        const { url, form, passes, ...init } = read<Head>(this.#text(head, headLength));
        const { files, progress } = this.#calls.get(call) ?? {};
        const exchange = new Exchange(call, passes);
        this.#exchanges.set(id, exchange);
        let whole = body ? this.#text(body, bodyLength) : form && new FormData();
        for (const [name, value] of form ?? []) {
          (whole as FormData).append(name, typeof value === "string" ? value : files?.[value] as string);
        }
        void this.#fetch(id, exchange, url, {
          ...init, ...(whole !== undefined && { body: whole }), signal: exchange.controller.signal, credentials: "omit", cache: "no-store", redirect,
        }, own, form && progress ? (sent, total) => this.#post({ kind: "progress", id: call, sent, total }) : undefined);
      },
      pump: (id) => void this.#pump(id),
      sinceRead: (id) => this.#exchanges.get(id)?.clock.ago() ?? 0,
      abort: (id) => this.#exchanges.get(id)?.controller.abort(),
      finish: (id) => this.#exchanges.delete(id),
    };
  }

  async #fetch(id: number, exchange: Exchange, url: string, init: RequestInit, own: Fetch | undefined, onProgress: OnProgress | undefined): Promise<void> {
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
        const call = exchange.shape ? this.#calls.get(exchange.call) : undefined;
        if (call && ok && type.startsWith("application/json") && !headers.has("x-has-more") && body?.[0] === brace) {
          try {
            const answer: unknown = read(this.#decoder.decode(body));
            if (holds(answer, exchange.shape)) {
              call.result = answer;
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

  #fail(ask: number, reason: unknown): void {
    this.post({ kind: "threw", ask, reason });
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
        more = value !== undefined && this.#feed(id, value, exchange.call);
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
  #feed(id: number, value: Uint8Array, call: number): boolean {
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
      this.#post({ kind: "events", id: call, events: this.#text(program.said(), result >> 2) });
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
    this.#bytes((this.#exports as Exports).room(bytes.length, forGood), bytes.length).set(bytes);
  }

  #text(at: number, length: number): string {
    return this.#decoder.decode(this.#bytes(at, length));
  }

  /** A part of the program's memory. Its buffer changes whenever the memory grows. */
  #bytes(at: number, length: number): Uint8Array {
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

  /** Makes a trap the cause of the error, because its stack names functions of the wasm. */
  #crash(message: string, cause?: unknown): void {
    this.#die(new APIError(`ChatSDK: the core crashed (${message}); the next call starts it again`, { status: 0, code: "INTERNAL" }, { cause }));
  }

  #die(error: unknown): void {
    if (this.#dead) {
      return;
    }
    this.#dead = true;
    this.#post({ kind: "dead", failure: failureOf(error) });
    this.#ending.abort();
    this.#clearTimers();
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
        (this.#calls.size + this.#exchanges.size + this.#tools.size > 0 ? timer.ref : timer.unref)?.call(timer);
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

/** What the program hears of a message. */
const heard = ["kind", "id", "ask", "client", "operation", "settings", "args"];

const nothing = new Uint8Array();

/** The byte with which a JSON object begins. */
const brace = 0x7b;

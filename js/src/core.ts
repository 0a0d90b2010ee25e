import { type Go, loader } from "wasm_exec";

import type { Bindings, Exports, Host, Operation, OperationName } from "./bindings.js";
import { explained } from "./compile.js";
import { inBrowser, inPlay } from "./config.js";
import { APIError, coreError, fromGo } from "./errors.js";
import { late } from "./late.js";
import { listen } from "./wake.js";

/** The build that a script tag loads, which has no place to import from. */
declare const SCRIPT: boolean;

/** How many feeds come between two resumes, without which a collection of Go's never ends. */
const feedsBetween = 32;

/** One running instance of the Go program. */
export class Core {
  #bindings: Bindings | undefined;
  #go: Go;
  #exports: Exports | undefined;
  readonly #utf8: { decode(bytes: Uint8Array): string };
  #dead: APIError | undefined;
  readonly #calls = new Set<(reason: APIError) => void>();
  readonly #requests = new Set<AbortController>();
  readonly #listening = new AbortController();
  readonly #onEnd: (dead: APIError) => void;
  /** How many clients are open. */
  clients = 0;

  private constructor(onEnd: (dead: APIError) => void, error: Host["error"]) {
    this.#onEnd = onEnd;
    const globals = scope(this.#host(error));
    this.#utf8 = new globals.TextDecoder("utf-8", { ignoreBOM: true });
    const Loader = loader(globals);
    this.#go = new Loader();
    this.#guard();
  }

  /** Starts the program. `onEnd` is called when it is gone, before anything is rejected; `error` makes what is. */
  static async start(module: WebAssembly.Module, onEnd: (dead: APIError) => void, error: Host["error"] = fromGo): Promise<Core> {
    const core = new Core(onEnd, error);
    const instance = await explained("chatsdk.wasm", () => WebAssembly.instantiate(module, core.#go.importObject));
    core.#exports = instance.exports as unknown as Exports;
    // main runs until it blocks, so the bindings are there when run returns.
    core.#go.run(instance).then(
      () => core.#crash("it ended"),
      (cause: unknown) => core.#crash(String(cause), cause),
    );
    if (!core.#bindings) {
      core.#dead ??= coreError("chatsdk.wasm is not the one that belongs to this script");
      throw core.#dead;
    }
    // The listeners hold the core for good, and only a browser calls them.
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

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Frees the program, which nobody calls any more. */
  end(): void {
    this.#go.exited = true;
    this.#crash("it was closed");
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(name: OperationName, ...args: Parameters<Operation>): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#dead) {
        reject(this.#dead);
        return;
      }
      this.#calls.add(reject);
      const promise = this.bindings[name](...args);
      // A crash in the call itself has rejected already, and given no promise.
      promise?.then(resolve, reject).finally(() => {
        this.#calls.delete(reject);
        this.#holdTimers();
      });
    });
  }

  #host(error: Host["error"]): Host {
    const redirect = refusal();
    return {
      publish: (bindings) => {
        this.#bindings = bindings;
      },
      crash: (message) => this.#crash(message),
      error,
      begin: () => {
        const controller = new AbortController();
        this.#requests.add(controller);
        return controller;
      },
      finish: (controller) => this.#requests.delete(controller),
      inBrowser: inBrowser() && !inPlay(),
      fetch: (url, init, onProgress) => {
        init.redirect = redirect;
        // jsdom has no fetch, and Node's does not know its forms.
        return onProgress || inPlay() ? upload(url, init, onProgress) : fetch(url, init);
      },
      pump: (...args) => this.#pump(...args),
    };
  }

  /**
   * Reads a stream for the program: the bytes of a read are copied into its memory and decoded
   * there by an exported function. No goroutine is woken, and nothing else crosses the border.
   */
  #pump(...[number, reader, onEvents, take]: Parameters<Host["pump"]>): () => number {
    // When something came last: one clock can be set back, the other stands still while a device sleeps.
    let wall = Date.now();
    let ticks = performance.now();
    const read = async () => {
      for (let feeds = 1, more = true; more; feeds++) {
        const { value } = await reader.read();
        wall = Date.now();
        ticks = performance.now();
        more = value !== undefined && this.#feed(number, value, onEvents);
        if (feeds % feedsBetween === 0) {
          this.#go._resume();
        }
      }
    };
    read().then(() => take(), take);
    return () => Math.max(Date.now() - wall, performance.now() - ticks);
  }

  /** Tells whether to read on. */
  #feed(number: number, value: Uint8Array, onEvents: ((events: string) => void) | undefined): boolean {
    const { room, feed, said } = this.#exports as Exports;
    let result = 1;
    if (!this.#dead) {
      try {
        this.#memory(room(value.length), value.length).set(value);
        result = feed(number, value.length);
      } catch (cause) {
        this.#crash(String(cause), cause);
      }
    }
    if (result > 1) {
      onEvents?.(this.#utf8.decode(this.#memory(said(), result >> 1)));
    }
    return !(result & 1);
  }

  /** A part of the program's memory, which has another buffer whenever it has grown. */
  #memory(at: number, length: number): Uint8Array {
    return new Uint8Array(this.#go.mem.buffer, at >>> 0, length);
  }

  /**
   * Whatever leaves Go as an exception ends this instance. Once it has ended,
   * timers and callbacks that still come must find nothing to do: the loader
   * would throw, or wait for ever for a timer to be taken.
   */
  #guard(): void {
    const go = this.#go;
    const resume = go._resume.bind(go);
    go._resume = () => {
      if (this.#dead && go.exited) {
        return;
      }
      try {
        resume();
      } catch (cause) {
        this.#crash(String(cause), cause);
      }
      if (this.#dead) {
        this.#clearTimers();
      }
      this.#holdTimers();
    };
  }

  /** The stack of a trap, which names functions of the wasm, is that of the error's cause. */
  #crash(message: string, cause?: unknown): void {
    if (this.#dead) {
      return;
    }
    this.#dead = new APIError(`ChatSDK: the core crashed (${message}); the next call starts it anew`, {
      status: 0,
      code: "INTERNAL",
    }, { cause });
    this.#onEnd(this.#dead);
    this.#listening.abort();
    this.#clearTimers();
    for (const reject of this.#calls) {
      reject(this.#dead);
    }
    this.#calls.clear();
    for (const request of this.#requests) {
      request.abort();
    }
  }

  /**
   * Lets timers keep a Node program running while there are calls, and no longer:
   * Go leaves the last timer of a call, its timeout, as it is.
   */
  #holdTimers(): void {
    for (const timer of this.#go._scheduledTimeouts.values()) {
      if (typeof timer === "object") {
        (this.#calls.size > 0 ? timer.ref : timer.unref)?.call(timer);
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

/** Sends what fetch alone cannot, by a file of its own. */
async function upload(...request: Parameters<Host["fetch"]>): Promise<Response> {
  const part: Promise<typeof import("./chatsdk.upload.mjs")> = SCRIPT
    ? late("upload")
    : import("./chatsdk.upload.mjs");
  return (await part).upload(...request);
}

/** How fetch is told to follow no redirect. workerd has no "error" for it; there the status that comes is one. */
function refusal(): RequestRedirect {
  try {
    return new Request("https://example.com", { redirect: "error" }).redirect;
  } catch {
    return "manual";
  }
}

/**
 * What the Go program takes for the global object, so that the page gets no
 * globals and two copies of the SDK don't meet.
 */
function scope(chatsdk: Host) {
  const { Object, Array, Uint8Array, Promise, Date, FormData } = globalThis;
  // jsdom has none; Jest leaves it at that.
  const { TextEncoder, TextDecoder } = globalThis.TextEncoder ? globalThis : globalThis.process.getBuiltinModule("node:util");
  const fs = { constants: new Proxy({}, { get: () => -1 }) }; // O_WRONLY and so on: there are no files
  return { Object, Array, Uint8Array, Promise, Date, FormData, TextEncoder, TextDecoder, fs, chatsdk };
}

import { type Go, loader } from "wasm_exec";

import type { Bindings, Host, Operation, OperationName } from "./bindings.js";
import { wasmOf } from "./config.js";
import { APIError, coreError, fromGo } from "./errors.js";
import type { CoreOptions, WasmModule } from "./options.js";
import { upload } from "./upload.js";

/**
 * Where chatsdk.wasm lies unless `wasmURL` says otherwise: beside this file.
 * Bundlers find the file by this literal expression and no other.
 */
function defaultURL(): string {
  return new URL("./chatsdk.wasm", import.meta.url).href;
}

const cores = new Map<WasmModule | string, Promise<Core>>();
const modules = new Map<string, Promise<WebAssembly.Module>>();

/**
 * Gives the running core, which is started at the first call, once for each
 * module or address of one, and anew after it failed to start or crashed.
 */
export async function load(options: CoreOptions): Promise<Core> {
  const wasm = wasmOf(options) ?? defaultURL();
  return once(cores, wasm, async () => {
    const module = typeof wasm === "string" ? await once(modules, wasm, () => compile(wasm)) : wasm;
    return Core.start(module, () => cores.delete(wasm));
  });
}

/** Remembers a promise until it fails. */
function once<K, V>(memory: Map<K, Promise<V>>, key: K, make: () => Promise<V>): Promise<V> {
  let promise = memory.get(key);
  if (promise === undefined) {
    promise = make();
    memory.set(key, promise);
    promise.catch(() => memory.delete(key));
  }
  return promise;
}

const help = "set wasmURL to where chatsdk.wasm of the same version is served";

/** Fetches and compiles the module, while it comes where the server lets us. */
async function compile(url: string): Promise<WebAssembly.Module> {
  if (url.startsWith("file:")) {
    return compileBytes(url, readFile(url));
  }
  const response = await fetch(url, { credentials: "same-origin" }).catch((cause: unknown) => {
    throw coreError(`${url} could not be fetched; ${help}, and allow it in the page's connect-src`, cause);
  });
  if (!response.ok) {
    throw coreError(`${url} answered ${response.status}; ${help}`);
  }
  if (response.headers.get("content-type") === "application/wasm") {
    return WebAssembly.compileStreaming(response).catch(explain(url));
  }
  return compileBytes(url, new Uint8Array(await response.arrayBuffer()));
}

/** Reads a file where there is no fetch for it: Node, Deno and Bun. */
function readFile(url: string): Uint8Array<ArrayBuffer> {
  const fs = globalThis.process?.getBuiltinModule?.("node:fs");
  if (fs === undefined) {
    throw coreError(`${url} cannot be read from a page; ${help}`);
  }
  return new Uint8Array(fs.readFileSync(new URL(url)));
}

async function compileBytes(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) {
    return WebAssembly.compile(bytes).catch(explain(url));
  }
  const html = new TextDecoder().decode(bytes.subarray(0, 64)).trimStart().startsWith("<");
  throw coreError(`${url} is ${html ? "a web page (HTML)" : "no WebAssembly"}; ${help}`);
}

function explain(url: string): (cause: unknown) => never {
  return (cause) => {
    const policy = /Content.Security.Policy|unsafe-eval/i.test(String(cause));
    throw coreError(
      policy
        ? "the page's Content-Security-Policy forbids WebAssembly; add 'wasm-unsafe-eval' to its script-src"
        : `${url} cannot be compiled; ${help}`,
      cause,
    );
  };
}

/** One running instance of the Go program. */
export class Core {
  #bindings: Bindings | undefined;
  #go: Go;
  #dead: APIError | undefined;
  readonly #calls = new Set<(reason: APIError) => void>();
  readonly #requests = new Set<AbortController>();
  readonly #listening = new AbortController();
  readonly #onCrash: () => void;

  private constructor(onCrash: () => void) {
    this.#onCrash = onCrash;
    const Loader = loader(scope(this.#host(), tracked(this.#requests)));
    this.#go = new Loader();
    this.#guard();
  }

  static async start(module: WebAssembly.Module, onCrash: () => void): Promise<Core> {
    const core = new Core(onCrash);
    const instance = await WebAssembly.instantiate(module, core.#go.importObject);
    // main runs until it blocks, so the bindings are there when run returns.
    core.#go.run(instance).then(
      () => core.#crash("it ended"),
      (cause: unknown) => core.#crash(String(cause)),
    );
    if (core.#bindings === undefined) {
      throw core.#dead ?? coreError(`chatsdk.wasm is not the one that belongs to this script; ${help}`);
    }
    core.#listen();
    return core;
  }

  /** When the network may be there again, what waits for it tries at once. */
  #listen(): void {
    const wake = () => {
      if (globalThis.document?.visibilityState !== "hidden") {
        this.bindings.wake();
      }
    };
    const { signal } = this.#listening;
    globalThis.addEventListener?.("online", wake, { signal });
    globalThis.addEventListener?.("pageshow", wake, { signal });
    globalThis.document?.addEventListener("visibilitychange", wake, { signal });
  }

  /** The published functions. After a crash they do nothing. */
  get bindings(): Bindings {
    if (this.#bindings === undefined) {
      throw this.#dead;
    }
    return this.#bindings;
  }

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(name: OperationName, ...args: Parameters<Operation>): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#dead !== undefined) {
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

  #host(): Host {
    return {
      publish: (bindings) => {
        this.#bindings = bindings;
      },
      crash: (message) => this.#crash(message),
      error: fromGo,
      fetch: (url, init, onProgress) => (onProgress ? upload(url, init, onProgress) : fetch(url, init)),
    };
  }

  /**
   * Whatever leaves Go as an exception ends this instance. Once it has ended,
   * timers and callbacks that still come must find nothing to do: the loader
   * would throw, or wait for ever for a timer to be taken.
   */
  #guard(): void {
    const go = this.#go;
    const resume = go._resume.bind(go);
    go.exit = () => {};
    go._resume = () => {
      if (this.#dead !== undefined && go.exited) {
        return;
      }
      try {
        resume();
      } catch (cause) {
        this.#crash(String(cause));
      }
      if (this.#dead !== undefined) {
        this.#clearTimers();
      }
      this.#holdTimers();
    };
  }

  #crash(message: string): void {
    if (this.#dead !== undefined) {
      return;
    }
    this.#dead = new APIError(`ChatSDK: the core crashed (${message}); the next call starts it anew`, {
      status: 0,
      code: "INTERNAL",
    });
    this.#onCrash();
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

/** The class of controllers that stand in `open` until they are aborted, as each is when its request is over. */
function tracked(open: Set<AbortController>): typeof AbortController {
  return class extends AbortController {
    constructor() {
      super();
      open.add(this);
    }

    override abort(reason?: unknown): void {
      open.delete(this);
      super.abort(reason);
    }
  };
}

/**
 * What the Go program takes for the global object, so that the page gets no
 * globals and two copies of the SDK don't meet.
 */
function scope(chatsdk: Host, AbortController: typeof globalThis.AbortController): object {
  const { Object, Array, Uint8Array, Promise, Date, FormData } = globalThis;
  const { crypto, performance, TextEncoder } = globalThis;
  // The loader's own would take a byte order mark from the beginning of each text that Go hands over.
  class TextDecoder extends globalThis.TextDecoder {
    constructor(label: string) {
      super(label, { ignoreBOM: true });
    }
  }
  const fs = {
    constants: { O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1, O_DIRECTORY: -1 },
    // A fatal error's trace. Its first line reaches the page as the crash.
    writeSync: (_fd: number, bytes: { length: number }) => bytes.length,
  };
  return {
    Object, Array, Uint8Array, Promise, Date, FormData, AbortController,
    crypto, performance, TextEncoder, TextDecoder, fs, chatsdk,
  };
}

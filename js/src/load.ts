import type { Bindings } from "./bindings.js";
import { compile, instantiating } from "./compile.js";
import { inBrowser, wasmOf, workerOf } from "./config.js";
import type { Core } from "./core.js";
import { APIError, cannotRun, coreError, fromGo } from "./errors.js";
import { late } from "./late.js";
import type { CoreOptions, WasmModule } from "./options.js";

/** The build for script tags, which has no base address for imports. */
declare const SCRIPT: boolean;

/** The version of the package. */
declare const VERSION: string;

/** A running core: a {@link Core} of this page, or the page's end of a core in a worker. */
export interface AnyCore extends Pick<Core, "call" | "clients" | "dead" | "end"> {
  readonly bindings: Pick<Bindings, "newClient" | "freeClient" | "closeClient">;
}

/** The settings of requests that also apply to downloads. */
interface Patience {
  timeout?: number | undefined;
  maxRetries?: number | undefined;
  retryDelay?: number | undefined;
}

/**
 * The address of chatsdk.wasm unless `wasmURL` is set: beside this file. Bundlers only find the
 * file by this literal expression.
 */
function defaultURL(): string {
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") {
    throw cannotRun();
  }
  try {
    return new URL("./chatsdk.wasm", import.meta.url).href;
  } catch (cause) {
    throw coreError("this bundle has no import.meta.url", cause);
  }
}

const cores = new Map<string, Promise<Core>>();
const own = new WeakMap<object, Promise<Core>>();
const modules = new Map<string, Promise<WebAssembly.Module>>();
const workers = new Map<WasmModule | string, Promise<AnyCore | undefined>>();

/**
 * Returns the running core. The first call starts it, once for each address or module. Calls after
 * a failed start, a crash or a close start it again. A core in the page and a core in a worker are
 * different cores. With a module outside of browsers, each object of settings has its own core:
 * workerd ends a timer with the request that set it, and other requests may wait for that timer.
 */
export async function load(options: CoreOptions & Patience): Promise<AnyCore> {
  const timeout = Math.min(options.timeout ?? 120_000, 2e9); // a longer timer of a platform ends at once
  for (let tries = 0; ; tries++) {
    try {
      return await start(options, timeout);
    } catch (error) {
      if (!(error instanceof APIError && error.retryable) || tries >= (options.maxRetries ?? 2)) {
        throw await advised(error);
      }
    }
    // The same as backoff in sdk/retry.go.
    const delay = Math.min((options.retryDelay ?? 500) * 2 ** tries, 8000);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * delay));
  }
}

/** The failure, with what to do about it. */
async function advised(failure: unknown): Promise<unknown> {
  if (!(failure instanceof APIError)) {
    return failure;
  }
  const part: Promise<typeof import("./chatsdk.advice.mjs")> = SCRIPT
    ? late("advice")
    : import("./chatsdk.advice.mjs");
  // If even the advice cannot be loaded, the failure must not wait for it.
  const advice = await within(2000, part).then(
    ({ adviceOn }) => adviceOn(failure),
    () => (failure.code === "NETWORK" && failure.message.includes(".wasm") ? "; set wasmURL or wasmModule" : ""),
  );
  return new APIError(failure.message + advice, failure, failure);
}

async function start(options: CoreOptions, timeout: number): Promise<AnyCore> {
  const wasm = wasmOf(options) ?? defaultURL();
  const remote = options.worker && (await once(workers, wasm, () => inWorker(wasm, workerOf(options), timeout)));
  if (remote) {
    return remote;
  }
  if (typeof wasm !== "string") {
    const key = inBrowser() ? wasm : options;
    return once(own, key, () => inPage(wasm, timeout, () => own.delete(key)));
  }
  return once(cores, wasm, () => inPage(once(modules, wasm, () => compile(wasm, timeout)), timeout, () => cores.delete(wasm)));
}

/** Starts the core here. Its script is loaded at the same time as the wasm. */
async function inPage(wasm: WasmModule | Promise<WasmModule>, timeout: number, onEnd: () => void): Promise<Core> {
  const [module, Core] = await Promise.all([wasm, script(timeout)]);
  return Core.start(instantiating(module), onEnd, fromGo);
}

/** Gets the core's script. */
async function script(timeout: number): Promise<typeof Core> {
  let part: typeof import("./chatsdk.core.mjs");
  try {
    part = await within<typeof import("./chatsdk.core.mjs")>(
      timeout,
      SCRIPT ? late("core") : import("./chatsdk.core.mjs"),
    );
  } catch (cause) {
    throw coreError("chatsdk.core.mjs could not be fetched", cause, true);
  }
  if (part.Core.version !== VERSION) {
    throw coreError(`chatsdk.core.mjs has version ${part.Core.version}, but this script has ${VERSION}`);
  }
  return part.Core;
}

/** Starts the core in a worker; undefined if workers are missing, which is logged once. */
async function inWorker(wasm: WasmModule | string, address: string | undefined, timeout: number): Promise<AnyCore | undefined> {
  let part: typeof import("./chatsdk.worker.mjs") | undefined;
  let open: Awaited<ReturnType<typeof import("./chatsdk.worker.mjs").open>>;
  try {
    part = await within<typeof import("./chatsdk.worker.mjs")>(
      timeout,
      SCRIPT ? late("worker") : import("./chatsdk.worker.mjs"),
    );
    open = await part.open(address);
  } catch (reason) {
    console.warn("ChatSDK: the core runs in the page, not in a worker:", reason);
    if (!part) {
      workers.delete(wasm); // the next call may be able to load the script
    }
    return undefined;
  }
  return open(wasm, timeout, fromGo, () => workers.delete(wasm));
}

/** Rejects if the promise has not settled after this many milliseconds. */
function within<T>(timeout: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(reject, timeout, new Error("it did not arrive in time"));
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

interface Memory<K, V> {
  get(key: K): Promise<V> | undefined;
  set(key: K, value: Promise<V>): unknown;
  delete(key: K): unknown;
}

/** Remembers a promise until it fails. */
function once<K, V>(memory: Memory<K, V>, key: K, make: () => Promise<V>): Promise<V> {
  let promise = memory.get(key);
  if (!promise) {
    promise = make();
    memory.set(key, promise);
    promise.catch(() => memory.delete(key));
  }
  return promise;
}

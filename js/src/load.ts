import type { Bindings } from "./bindings.js";
import { compile, instantiating } from "./compile.js";
import { inBrowser, wasmOf, workerOf } from "./config.js";
import { Core } from "./core.js";
import { APIError, cannotRun, coreError, fromGo } from "./errors.js";
import { late, until } from "./late.js";
import { promise, resolved } from "./native.js";
import type { CoreOptions, WasmModule } from "./options.js";

/** The build for script tags, which has no base address for imports. */
declare const SCRIPT: boolean;

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
  let cause: unknown;
  try {
    const { href } = new URL("./chatsdk.wasm", import.meta.url);
    if (/[/:]/.test(href)) {
      return href; // Turbopack's has no origin
    }
  } catch (error) {
    cause = error;
  }
  try {
    return resolved("./chatsdk.wasm", import.meta.url).href; // the page has another URL
  } catch {
    throw coreError("this bundle has no import.meta.url", cause);
  }
}

const cores: Cache<Core> = new Map();
const own = new WeakMap<object, Promise<Core>>();
const modules: Cache<WebAssembly.Module> = new Map();

/** The files that did not arrive in time. A browser's cache lets a request wait for an older one of the same address. */
const stuck = new Set<WasmModule | string>();

/** What there is of the workers whose script has an address ("" is the script in the package), by their wasm. */
const workers = new Map<string, { readonly opened: Cache<Start | NoWorker>; readonly cores: Cache<AnyCore> }>();
/** The addresses of scripts that hung. No call waits for them until they have come. */
const hung = new Map<string, NoWorker>();
/** The settings of the clients that got the warning that they have no worker. The set holds itself for all clients without an address. */
const told = new WeakSet<object>();

type Cache<T> = Map<WasmModule | string, Promise<T>>;
type Start = Awaited<ReturnType<typeof import("./chatsdk.worker.mjs").open>>;

/** Why there is no worker. */
interface NoWorker {
  noWorker: unknown;
}

/**
 * Returns the running core. The first call starts it, once for each address or module. Calls after
 * a failed start, a crash or a close start it again. A core in the page and a core in a worker are
 * different cores. With a module outside of browsers, each object of settings has its own core:
 * workerd ends a timer with the request that set it, and other requests may wait for that timer.
 */
export async function load(options: CoreOptions & Patience, own: { timeout?: unknown; maxRetries?: unknown } = {}): Promise<AnyCore> {
  const timeout = patienceOf({ timeout: own.timeout ?? options.timeout });
  // The core refuses options that are not numbers. Until then they mean no retries, and the default timeout.
  const most = Number(own.maxRetries ?? options.maxRetries ?? 2);
  for (let tries = 0; ; tries++) {
    try {
      return await start(options, timeout);
    } catch (error) {
      if (!(error instanceof APIError && error.retryable) || !(tries < most)) {
        throw await advised(error);
      }
    }
    // The same as backoff in sdk/retry.go.
    const delay = Math.min((options.retryDelay ?? 500) * 2 ** tries, 8000);
    await promise((resolve) => setTimeout(resolve, Math.random() * delay));
  }
}

/** How many milliseconds a file may take. A longer timer of a platform ends at once. */
export function patienceOf({ timeout }: { timeout?: unknown }): number {
  return Math.min(Number(timeout) || 120_000, 2e9);
}

/** The failure, with what to do about it. */
async function advised(failure: unknown): Promise<unknown> {
  if (!(failure instanceof APIError)) {
    return failure;
  }
  // If even the advice cannot be loaded, the failure must not wait for it.
  const advice = await late<typeof import("./chatsdk.advice.mjs")>(
    "advice", AbortSignal.timeout(2000), SCRIPT ? undefined : () => import("./chatsdk.advice.mjs"),
  ).then(
    ({ adviceOn }) => adviceOn(failure),
    () => (failure.code === "NETWORK" && failure.message.includes(".wasm") ? "set wasmURL or wasmModule" : undefined),
  );
  return new APIError(failure.message, { ...failure, ...(advice && { advice }) }, failure);
}

async function start(options: CoreOptions, timeout: number): Promise<AnyCore> {
  const wasm = wasmOf(options) ?? defaultURL();
  const remote = options.worker && (await inWorker(wasm, options, timeout));
  if (remote) {
    return remote;
  }
  if (typeof wasm !== "string") {
    const key = inBrowser() ? wasm : options;
    return once(own, key, () => inPage(wasm, () => own.delete(key)));
  }
  const core = once(cores, wasm, () => inPage(once(modules, wasm, () => compile(wasm, timeout, stuck.has(wasm))), () => cores.delete(wasm)));
  return within(timeout, core, wasm, cores, modules);
}

/** Starts the core here. */
async function inPage(wasm: WasmModule | Promise<WasmModule>, onEnd: () => void): Promise<Core> {
  return Core.start(instantiating(await wasm), onEnd, fromGo);
}

/** The core in a worker; undefined if there is none. A warning says so, once for each client that gives an address, and once for all others. */
async function inWorker(wasm: WasmModule | string, options: CoreOptions, timeout: number): Promise<AnyCore | undefined> {
  const address = workerOf(options) ?? "";
  const { opened, cores } = workers.get(address) ?? { opened: new Map(), cores: new Map() };
  workers.set(address, { opened, cores });
  const opening = once(opened, wasm, () => open(address, timeout, () => opened.delete(wasm)));
  const start = hung.get(address) ?? (await within(timeout, opening, "chatsdk.worker.mjs").catch((noWorker) => ({ noWorker })));
  if (typeof start === "function") {
    const end = () => opened.delete(wasm) && cores.delete(wasm);
    return within(timeout, once(cores, wasm, () => start(wasm, timeout, fromGo, end)), wasm, opened, cores);
  }
  const who = address ? options : told;
  if (!told.has(who)) {
    told.add(who);
    console.warn("ChatSDK: the core runs in the page, not in a worker:", start.noWorker);
  }
  return undefined;
}

/** Opens a worker. What did not arrive is forgotten, so that the next call asks for it again. */
async function open(address: string, timeout: number, forget: () => void): Promise<Start | NoWorker> {
  try {
    const part = await late<typeof import("./chatsdk.worker.mjs")>(
      "worker", AbortSignal.timeout(timeout), SCRIPT ? undefined : () => import("./chatsdk.worker.mjs"),
    );
    const start = await part.open(address || undefined, timeout);
    hung.delete(address);
    return start;
  } catch (noWorker) {
    const isLate = (noWorker as APIError).code === "TIMEOUT" || (noWorker as Error).name === "TimeoutError";
    if (isLate) {
      hung.set(address, { noWorker });
    }
    if (isLate || noWorker instanceof APIError) {
      forget();
    }
    return { noWorker };
  }
}

/** Waits no longer than this many milliseconds. The next call asks for a wasm that did not come in time again. */
async function within<T>(timeout: number, promise: Promise<T>, wasm: WasmModule | string, ...caches: Cache<any>[]): Promise<T> {
  // AbortSignal.timeout would outlive each call until its time is over.
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), timeout);
  try {
    return await until(ending.signal, promise);
  } catch (error) {
    if (error !== ending.signal.reason) {
      throw error;
    }
    stuck.add(wasm);
    caches.forEach((cache) => cache.delete(wasm));
    const file = typeof wasm === "string" ? wasm : "chatsdk.wasm";
    throw new APIError(`ChatSDK: ${file} did not arrive within ${timeout} ms`, { status: 0, code: "TIMEOUT", retryable: true });
  } finally {
    clearTimeout(timer);
  }
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

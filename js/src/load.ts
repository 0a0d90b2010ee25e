import type { Bindings } from "./bindings.js";
import { compile, help } from "./compile.js";
import { wasmOf, workerOf } from "./config.js";
import { Core } from "./core.js";
import { coreError, fromGo } from "./errors.js";
import type { CoreOptions, WasmModule } from "./options.js";

/** The build that a script tag loads, which has no place to import from. */
declare const SCRIPT: boolean;

/** A running core: a {@link Core} of this page, or the page's end of one in a worker. */
export interface AnyCore extends Pick<Core, "call" | "dead"> {
  readonly bindings: Pick<Bindings, "newClient" | "freeClient">;
}

/**
 * Where chatsdk.wasm lies unless `wasmURL` says otherwise: beside this file.
 * Bundlers find the file by this literal expression and no other.
 */
function defaultURL(): string {
  try {
    return new URL("./chatsdk.wasm", import.meta.url).href;
  } catch (cause) {
    throw coreError(`this bundle has no import.meta.url; build it with format esm, or ${help}`, cause);
  }
}

const cores = new Map<string, Promise<Core>>();
const own = new WeakMap<CoreOptions, Promise<Core>>();
const modules = new Map<string, Promise<WebAssembly.Module>>();
const workers = new Map<WasmModule | string, Promise<AnyCore | undefined>>();

/**
 * Gives the running core, which is started at the first call, once for each
 * address, and anew after it failed to start or crashed. In a page and in a
 * worker, these are two. With a module in no worker each object of settings has
 * its own: workerd ties a timer to the request that set it, and with that request
 * would go the timer which all others wait for.
 */
export async function load(options: CoreOptions): Promise<AnyCore> {
  const wasm = wasmOf(options) ?? defaultURL();
  const remote = options.worker && (await once(workers, wasm, () => inWorker(wasm, workerOf(options))));
  if (remote) {
    return remote;
  }
  if (typeof wasm !== "string") {
    return once(own, options, () => Core.start(wasm, () => own.delete(options)));
  }
  return once(cores, wasm, async () => {
    const module = await once(modules, wasm, () => compile(wasm));
    return Core.start(module, () => cores.delete(wasm));
  });
}

/** Starts the core in a worker; undefined where there can be none, which it says once. */
async function inWorker(wasm: WasmModule | string, address: string | undefined): Promise<AnyCore | undefined> {
  let start: Awaited<ReturnType<typeof import("./chatsdk.worker.mjs").open>>;
  try {
    const part: Promise<typeof import("./chatsdk.worker.mjs")> = SCRIPT
      ? import(new URL("./chatsdk.worker.mjs", import.meta.url).href)
      : import("./chatsdk.worker.mjs");
    start = await (await part).open(address);
  } catch (reason) {
    console.warn("ChatSDK: the core runs in the page, not in a worker:", reason);
    return undefined;
  }
  return start(wasm, fromGo, () => workers.delete(wasm));
}

interface Memory<K, V> {
  get(key: K): Promise<V> | undefined;
  set(key: K, value: Promise<V>): unknown;
  delete(key: K): unknown;
}

/** Remembers a promise until it fails. */
function once<K, V>(memory: Memory<K, V>, key: K, make: () => Promise<V>): Promise<V> {
  let promise = memory.get(key);
  if (promise === undefined) {
    promise = make();
    memory.set(key, promise);
    promise.catch(() => memory.delete(key));
  }
  return promise;
}

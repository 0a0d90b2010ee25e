import { Channel } from "./channel.js";
import { inBrowser, wasmOf, workerOf } from "./config.js";
import { Core } from "./core.js";
import { APIError, cannotRun, coreError } from "./errors.js";
import { hasFailed, late } from "./late.js";
import type { OpenPort } from "./messages.js";
import { promise, resolved } from "./native.js";
import type { CoreOptions, WasmModule } from "./options.js";
import { type Attempt, Overdue, Shared } from "./shared.js";

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

/** The cores of this page, by the address of their wasm, and by their module. */
const cores = new Map<string, Shared<Channel>>();
const own = new WeakMap<object, Shared<Channel>>();

/** The cores in workers, by the address of the worker's script ("" is the script in the package) and by their wasm. */
const workers = new Map<string, Map<WasmModule | string, Shared<Channel>>>();
/** Why an address gives no worker. */
const missing = new Map<string, NoWorker>();
/** The settings of the clients that got the warning that they have no worker. The set holds itself for all clients without an address. */
const warned = new WeakSet<object>();

/** Why there is no worker. */
class NoWorker {
  /** A script that `hangs` is asked for again by each call, which does not wait for it. */
  constructor(readonly reason: unknown, readonly hangs: boolean) {}
}

/**
 * Returns the running core. The first call starts it, once for each address or module. Calls after
 * a failed start, a crash or a close start it again. A core in the page and a core in a worker are
 * different cores. With a module outside of browsers, each object of settings has its own core:
 * workerd ends a timer with the request that set it, and other requests may wait for that timer.
 */
export async function load(
  options: CoreOptions & Patience, own: { timeout?: unknown; maxRetries?: unknown } = {}, isClosed = () => false,
): Promise<Channel> {
  const timeout = patienceOf({ timeout: own.timeout ?? options.timeout });
  // The core refuses options that are not numbers. Until then they mean no retries, and the default timeout.
  const most = Number(own.maxRetries ?? options.maxRetries ?? 2);
  let failure: unknown;
  for (let tries = 0; tries === 0 || !isClosed(); tries++) {
    try {
      return await start(options, timeout);
    } catch (error) {
      failure = error;
      if (!(error instanceof APIError && error.retryable) || !(tries < most)) {
        break;
      }
    }
    // The same as backoff in sdk/retry.go; both run sdk/testdata/backoff.json.
    const delay = Math.min((options.retryDelay ?? 500) * 2 ** tries, 8000);
    await promise((resolve) => setTimeout(resolve, Math.random() * delay));
  }
  throw isClosed() ? failure : await advised(failure, timeout);
}

/** How many milliseconds a file may take. A longer timer of a platform ends at once. */
export function patienceOf({ timeout }: { timeout?: unknown }): number {
  return Math.min(Number(timeout) || 120_000, 2e9);
}

/** The failure, with what to do about it. */
async function advised(failure: unknown, timeout: number): Promise<unknown> {
  if (!(failure instanceof APIError)) {
    return failure;
  }
  // If even the advice cannot be loaded, the failure must not wait for it.
  const advice = await late<typeof import("./advice.js")>(
    "advice", AbortSignal.timeout(Math.min(timeout, 2000)), SCRIPT ? undefined : () => import("./chatsdk.advice.mjs"),
  ).then(
    ({ adviceOn }) => adviceOn(failure),
    () => (failure.code === "NETWORK" && failure.message.includes(".wasm") ? "set wasmURL or wasmModule" : undefined),
  );
  return new APIError(failure.message, { ...failure, ...(advice && { advice }) }, failure);
}

async function start(options: CoreOptions, timeout: number): Promise<Channel> {
  const wasm = wasmOf(options) ?? defaultURL();
  const remote = options.worker && (await inWorker(wasm, options, timeout));
  if (remote) {
    return remote;
  }
  const key = typeof wasm === "string" || inBrowser() ? wasm : options;
  const shared = sharedIn(typeof key === "string" ? cores : own, key);
  return await shared.get(typeof wasm === "string" ? timeout : undefined, (attempt) => Channel.start((hear) => new Core(hear), wasm, attempt))
    .catch((error: unknown) => {
      throw error instanceof Overdue ? overdue(wasm, timeout) : error;
    });
}

/** The core in a worker; undefined if there is none. A warning says so, once for each client that gives an address, and once for all others. */
async function inWorker(wasm: WasmModule | string, options: CoreOptions, timeout: number): Promise<Channel | undefined> {
  const address = workerOf(options) ?? "";
  let none = missing.get(address);
  if (!none || none.hangs) {
    const byWasm = workers.get(address) ?? new Map<WasmModule | string, Shared<Channel>>();
    workers.set(address, byWasm);
    const shared = sharedIn(byWasm, wasm);
    const core = shared.get(timeout, (attempt) => begin(address, wasm, timeout, attempt)).catch((error: unknown) => {
      if (error instanceof NoWorker) {
        return error;
      }
      if (!(error instanceof Overdue)) {
        throw error;
      }
      if (error.attempt.came === 2) {
        throw overdue(wasm, timeout);
      }
      return hangs(address, error.attempt.came, overdue(address || "chatsdk.worker.mjs", timeout));
    });
    core.catch(() => {}); // a call that does not wait
    const got = shared.got ?? none ?? (await core);
    if (!(got instanceof NoWorker)) {
      return got;
    }
    none = got;
  }
  const who = address ? options : warned;
  if (!warned.has(who)) {
    warned.add(who);
    console.warn("ChatSDK: the core runs in the page, not in a worker:", none.reason);
  }
  return undefined;
}

/** Notes that no call waits for the worker at an address until it has come. */
function hangs(address: string, came: number, reason: unknown): NoWorker {
  if (came === 0) {
    hasFailed("worker");
  }
  const none = new NoWorker(reason, true);
  missing.set(address, none);
  return none;
}

/** Begins a core in a worker. Rejects with {@link NoWorker} if there is none. */
async function begin(address: string, wasm: WasmModule | string, timeout: number, attempt: Attempt): Promise<Channel> {
  let open: OpenPort;
  try {
    const part = await late<typeof import("./worker/remote.js")>(
      "worker", attempt.signal, SCRIPT ? undefined : () => import("./chatsdk.worker.mjs"),
    );
    attempt.came = 1;
    open = await part.open(address || undefined, timeout, attempt.signal);
  } catch (reason) {
    if (attempt.signal.aborted) {
      throw reason; // nobody gets it
    }
    if ((reason as Error).name === "TimeoutError") {
      throw hangs(address, attempt.came, reason);
    }
    const none = new NoWorker(reason, false);
    if (!(reason instanceof APIError)) { // a file that could not be fetched is asked for again
      missing.set(address, none);
    }
    throw none;
  }
  attempt.came = 2;
  missing.delete(address);
  return Channel.start(open, wasm, attempt);
}

function overdue(file: WasmModule | string, timeout: number): APIError {
  return new APIError(`ChatSDK: ${typeof file === "string" ? file : "chatsdk.wasm"} did not arrive within ${timeout} ms`, {
    status: 0, code: "TIMEOUT", retryable: true,
  });
}

/** The thing in a map, which gets it at the first use. */
function sharedIn<K, T>(map: { get(key: K): Shared<T> | undefined; set(key: K, value: Shared<T>): unknown }, key: K): Shared<T> {
  const shared = map.get(key) ?? new Shared<T>();
  map.set(key, shared);
  return shared;
}

/**
 * The page's end of a core in a worker; main.ts is the other end. It has its own file, so that
 * pages without a worker don't load it. It does not create the SDK's errors itself: their classes
 * belong to the entry.
 */

import source from "worker_source";

import type { Bindings, Host, Operation, OperationName } from "../bindings.js";
import type { WasmModule } from "../options.js";
import { listen } from "../wake.js";
import type { Failure, ToPage, ToWorker } from "./messages.js";

/** Milliseconds after which a script that says nothing is given up. */
const patience = 10_000;

/** The part of Trusted Types that is used; TypeScript does not know it. A trusted address may be used like a string. */
interface Trust {
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Trust): Trust };

/** The modules by address, for the next worker after a crash. */
const modules = new Map<WasmModule | string, WasmModule>();

/**
 * Starts the core. Rejects if it cannot be loaded, as in a page, or not within `timeout`
 * milliseconds. `error` makes the errors that the worker reports; `onEnd` is called when the core
 * is gone.
 */
export type Start = (wasm: WasmModule | string, timeout: number, error: Host["error"], onEnd: () => void) => Promise<RemoteCore>;

/**
 * Opens a worker, with the script at the address or the one inside this file. If no worker can be
 * opened, rejects with an error that says what to do. It is a TimeoutError if the script has not come within
 * `timeout` milliseconds, or 10 s.
 */
export async function open(address: string | undefined, timeout: number): Promise<Start> {
  if (typeof Worker === "undefined" || !("document" in globalThis || "importScripts" in globalThis)) {
    throw new Error("workers are for browsers; leave the option worker out");
  }
  const url = address ?? URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    const worker = await ready(url, Math.min(timeout, patience));
    return (...core) => RemoteCore.start(worker, ...core);
  } catch (reason) {
    const help = address === undefined
      ? "allow blob: in the worker-src of the Content-Security-Policy, or set the option worker to the address of chatsdk.worker.js"
      : `serve chatsdk.worker.js of version ${VERSION} there, from the page's origin, and allow it in the worker-src of the Content-Security-Policy`;
    const message = reason instanceof Error ? reason.message : "it failed";
    // Only Trusted Types make it a TypeError; each browser has its own text.
    const types = "allow the policy chatsdk in the trusted-types of the Content-Security-Policy, " +
      "with 'allow-duplicates' if the page has the SDK twice";
    const failure = new Error(`no worker could be started from ${address ?? "a blob: address"} (${message}); ${reason instanceof TypeError ? types : help}`);
    throw Object.assign(failure, reason instanceof DOMException && reason.name === "TimeoutError" && { name: "TimeoutError" });
  } finally {
    if (address === undefined) {
      URL.revokeObjectURL(url);
    }
  }
}

let policy: Trust | undefined;

/** The address in the form that Trusted Types require, if they exist and the page allows the policy. */
function trusted(url: string): string {
  try {
    policy ??= trustedTypes.createPolicy("chatsdk", { createScriptURL: (url) => url });
    return policy.createScriptURL(url);
  } catch {
    return url;
  }
}

/** Waits until the script has reported that it runs. */
async function ready(url: string, patience: number): Promise<Worker> {
  const worker = new Worker(trusted(url), { name: "chatsdk" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onerror = (event) => {
        event.preventDefault(); // the page gets a warning
        reject(new Error(event.message || "it was refused, or is not there"));
      };
      worker.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (Array.isArray(data) && data[0] === "ready" && data[1] === VERSION) {
          resolve();
        } else {
          reject(new Error("its script has another version"));
        }
      };
      timer = setTimeout(() => reject(new DOMException(`it sent nothing within ${patience / 1000} s`, "TimeoutError")), patience);
    });
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A waiting call. */
interface Call {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  onEvents: Parameters<Operation>[3];
  onProgress: Parameters<Operation>[5];
  /** Removes the listener from the signal. */
  leave(): void;
}

/** A client's functions, which stay in the page. */
interface Client {
  accessToken: Parameters<Bindings["newClient"]>[1];
  logger: Parameters<Bindings["newClient"]>[2];
  carry: Parameters<Bindings["newClient"]>[3];
  /** What the function threw the last time: the cause of errors, unchanged. */
  thrown?: { ask: number; reason: unknown };
}

/** One running core, in its own worker, which ends with it. */
class RemoteCore {
  readonly #worker: Worker;
  readonly #error: Host["error"];
  readonly #onEnd: () => void;
  readonly #calls = new Map<number, Call>();
  readonly #clients = new Map<number, Client>();
  /** Aborts the running tools, by the question for their result. */
  readonly #tools = new Map<number, AbortController>();
  readonly #listening = new AbortController();
  #last = 0;
  #dead: unknown;

  /** How many clients are open. */
  clients = 0;

  private constructor(worker: Worker, error: Host["error"], onEnd: () => void) {
    this.#worker = worker;
    this.#error = error;
    this.#onEnd = onEnd;
  }

  static async start(worker: Worker, ...[wasm, timeout, error, onEnd]: Parameters<Start>): Promise<RemoteCore> {
    const core = new RemoteCore(worker, error, onEnd);
    await new Promise<void>((resolve, reject) => {
      core.#calls.set(0, { resolve: () => resolve(), reject, onEvents: undefined, onProgress: undefined, leave() {} });
      worker.onerror = (event) => {
        event.preventDefault(); // the calls report it
        const message = `ChatSDK: the core's worker failed (${event.message}); the next call starts another`;
        core.#end(["api", JSON.stringify({ message, status: 0, code: "INTERNAL" }), undefined, undefined]);
      };
      worker.onmessage = ({ data }: MessageEvent<ToPage>) => core.#take(data, wasm);
      // Turbopack gives an address without its origin, and a script from a blob: address has no
      // origin to add.
      const from = typeof wasm === "string" ? new URL(wasm, globalThis.location?.href).href : wasm;
      core.#tell(["start", modules.get(wasm) ?? from, timeout]);
    });
    listen(() => core.#tell(["wake"]), () => core.#tell(["go offline"]), core.#listening.signal);
    return core;
  }

  readonly bindings: Pick<Bindings, "newClient" | "freeClient" | "closeClient"> = {
    newClient: (config, accessToken, logger, carry) => {
      this.#last += 1;
      this.#clients.set(this.#last, { accessToken, logger, carry });
      this.#tell(["open", this.#last, config, accessToken !== undefined, logger !== undefined, carry !== undefined]);
      return this.#last;
    },
    freeClient: (client) => {
      this.#clients.delete(client);
      this.#tell(["free", client]);
    },
    closeClient: (client) => this.#tell(["close", client]),
  };

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(name: OperationName, ...[client, args, images, onEvents, signal, onProgress]: Parameters<Operation>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (this.#dead !== undefined) {
        reject(this.#dead);
        return;
      }
      this.#last += 1;
      const id = this.#last;
      this.#tell(["call", id, name, client, args, images, onEvents !== undefined, onProgress !== undefined]);
      const abort = () => this.#tell(["abort", id]);
      signal?.addEventListener("abort", abort, { once: true });
      this.#calls.set(id, { resolve, reject, onEvents, onProgress, leave: () => signal?.removeEventListener("abort", abort) });
    });
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #take(message: ToPage, wasm: WasmModule | string): void {
    switch (message[0]) {
      case "started":
        this.#settle(0)?.resolve("");
        break;
      case "module":
        modules.set(wasm, message[1]);
        break;
      case "done":
        this.#settle(message[1])?.resolve(message[2]);
        break;
      case "failed":
        this.#settle(message[1])?.reject(this.#made(message[2]));
        break;
      case "events":
        this.#calls.get(message[1])?.onEvents?.(message[2]);
        break;
      case "progress":
        this.#calls.get(message[1])?.onProgress?.(message[2], message[3]);
        break;
      case "ask":
        void this.#ask(message[1], this.#clients.get(message[2]));
        break;
      case "carry":
        void this.#carry(...message);
        break;
      case "leave":
        this.#tools.get(message[1])?.abort();
        break;
      case "log":
        this.#clients.get(message[1])?.logger?.(message[2]);
        break;
      case "dead":
        this.#end(message[1]);
        break;
    }
  }

  #settle(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.leave();
    return call;
  }

  async #ask(ask: number, client: Client | undefined): Promise<void> {
    try {
      const token = await client?.accessToken?.();
      // The core reports the fault; not everything can be sent to the worker.
      this.#tell(["answer", ask, typeof token === "function" || typeof token === "symbol" ? {} : token]);
    } catch (reason) {
      if (client !== undefined) {
        client.thrown = { ask, reason };
      }
      this.#tell(["no answer", ask, reason instanceof Error ? reason.message : undefined]);
    }
  }

  /** Runs a call with a tool of this page. */
  async #carry(...[, ask, client, ...call]: Extract<ToPage, readonly ["carry", ...unknown[]]>): Promise<void> {
    const controller = new AbortController();
    this.#tools.set(ask, controller);
    try {
      this.#tell(["answer", ask, await this.#clients.get(client)?.carry?.(...call, controller.signal)]);
    } catch (reason) {
      this.#tell(["no answer", ask, (reason as Error).message]); // carrier makes it an Error
    } finally {
      this.#tools.delete(ask);
    }
  }

  /** The error that the worker reported. */
  #made([kind, fields, cause, ask]: Failure): Error {
    const client = [...this.#clients.values()].find(({ thrown }) => ask !== undefined && thrown?.ask === ask);
    return this.#error(kind, fields, client?.thrown === undefined ? cause : client.thrown.reason);
  }

  /** Frees the worker, which nobody uses any more. */
  end(): void {
    this.#end(["api", JSON.stringify({ message: "ChatSDK: the core was closed", status: 0, code: "INTERNAL" }), undefined, undefined]);
  }

  /** The core has not started, or has ended. */
  #end(failure: Failure): void {
    if (this.#dead !== undefined) {
      return;
    }
    this.#dead = this.#made(failure);
    this.#worker.terminate();
    this.#listening.abort();
    for (const controller of this.#tools.values()) {
      controller.abort();
    }
    this.#onEnd();
    for (const id of [...this.#calls.keys()]) {
      this.#settle(id)?.reject(this.#dead);
    }
    this.#clients.clear();
  }
}

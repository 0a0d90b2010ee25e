/**
 * The page's end of a core in a worker; main.ts is the other end. It has its own file, so that
 * pages without a worker don't load it. It does not create the SDK's errors itself: their classes
 * belong to the entry.
 */

import type { Bindings, Host, Operation, OperationName } from "../bindings.js";
import { promise, resolved } from "../native.js";
import type { WasmModule } from "../options.js";
import { textOf } from "../thrown.js";
import { listen } from "../wake.js";
import { launch } from "./launch.js";
import type { Failure, Seen, ToPage, ToWorker } from "./messages.js";

/**
 * A worker that says nothing is asked whether it is there, with this many milliseconds between two looks. After this
 * many looks without an answer it is dead. A worker may be busy for 10 s. A page that was frozen did not look.
 */
const pulse = 2000;
const looks = 10;

/** The operations that go on in another worker: they read, or have a key by which the service knows them. */
const goesOn = /^(get|list|sendMessage|editMessage|regenerateMessage|resumeStream|stop)|Of(Memory|Source)$/;

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
  const again = () => launch(address, timeout);
  const worker = await again();
  return (...core) => RemoteCore.start(worker, again, ...core);
}

/** A waiting call. */
interface Call {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  /** What the worker was told; undefined for the start. */
  message?: Extract<ToWorker, readonly ["call", ...unknown[]]>;
  /** What the page has of its stream. */
  seen?: Seen;
  /** How many workers have died with it. */
  lost: number;
  onEvents: Parameters<Operation>[3];
  signal: Parameters<Operation>[4];
  onProgress: Parameters<Operation>[5];
  /** Removes the listener from the signal. */
  leave(): void;
}

/** A client's functions, which stay in the page. */
interface Client {
  config: string;
  accessToken: Parameters<Bindings["newClient"]>[1];
  logger: Parameters<Bindings["newClient"]>[2];
  carry: Parameters<Bindings["newClient"]>[3];
  /** What the function threw the last time: the cause of errors, unchanged. */
  thrown?: { ask: number; reason: unknown };
}

/** One running core, in its own worker, which ends with it. If the worker dies silently, another one takes its place. */
class RemoteCore {
  #worker: Worker | undefined;
  /** False until the worker's program runs. */
  #started = false;
  readonly #launch: () => Promise<Worker>;
  readonly #wasm: WasmModule | string;
  readonly #timeout: number;
  readonly #error: Host["error"];
  readonly #onEnd: () => void;
  readonly #calls = new Map<number, Call>();
  readonly #clients = new Map<number, Client>();
  /** Aborts the running tools, by the question for their result. */
  readonly #tools = new Map<number, AbortController>();
  readonly #listening = new AbortController();
  #last = 0;
  #dead: unknown;
  #watching = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the worker has said something since the last look. */
  #heard = false;

  /** How many clients are open. */
  clients = 0;

  private constructor(launch: () => Promise<Worker>, ...[wasm, timeout, error, onEnd]: Parameters<Start>) {
    this.#launch = launch;
    this.#wasm = wasm;
    this.#timeout = timeout;
    this.#error = error;
    this.#onEnd = onEnd;
  }

  static async start(worker: Worker, launch: () => Promise<Worker>, ...rest: Parameters<Start>): Promise<RemoteCore> {
    const core = new RemoteCore(launch, ...rest);
    await core.#begin(worker);
    core.#started = true;
    listen(() => core.#tell(["wake"]), () => core.#tell(["go offline"]), core.#listening.signal);
    return core;
  }

  /** Starts the program in a worker. */
  #begin(worker: Worker): Promise<void> {
    this.#worker = worker;
    const wasm = this.#wasm;
    worker.onerror = (event) => {
      event.preventDefault(); // the calls report it
      this.#end(internal(`the core's worker failed (${event.message}); the next call starts another`));
    };
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => this.#take(data);
    return promise((resolve, reject) => {
      this.#calls.set(0, { resolve: () => resolve(), reject, lost: 0, onEvents: undefined, signal: undefined, onProgress: undefined, leave() {} });
      // Turbopack gives an address without its origin, and a script from a blob: address has no
      // origin to add.
      const from = typeof wasm === "string" ? resolved(wasm, globalThis.location?.href).href : wasm;
      worker.postMessage(["start", modules.get(wasm) ?? from, this.#timeout] satisfies ToWorker);
      this.#watch();
    });
  }

  /** Looks after the worker while there are calls. */
  #watch(): void {
    let quiet = 0;
    const look = () => {
      quiet = this.#heard ? 0 : quiet + 1;
      this.#heard = false;
      if (this.#calls.size === 0 || this.#dead !== undefined) {
        this.#watching = false;
      } else if (quiet <= looks) {
        this.#worker?.postMessage(["ping"] satisfies ToWorker);
        this.#timer = setTimeout(look, pulse);
      } else {
        this.#watching = false;
        if (this.#started) {
          void this.#replace();
        } else {
          this.#end(internal("the core's worker has died; call again", true));
        }
      }
    };
    if (!this.#watching) {
      this.#watching = true;
      this.#heard = true;
      look();
    }
  }

  /** Continues in another worker. The calls that can't be repeated there fail. */
  async #replace(): Promise<void> {
    this.#worker?.terminate();
    this.#started = false;
    const failure = internal("the core's worker has died; call again", true);
    this.#abortTools();
    for (const [id, call] of [...this.#calls]) {
      call.lost += 1;
      if (!call.message || !goesOn.test(call.message[2]) || call.lost > 2) {
        this.#settle(id)?.reject(this.#made(failure));
      }
    }
    try {
      const worker = await this.#launch();
      if (this.#dead !== undefined) { // nobody needs it any more
        worker.terminate();
        return;
      }
      await this.#begin(worker);
    } catch (error) {
      this.#end(internal((error as Error).message, true));
      return;
    }
    this.#started = true;
    for (const [id, { config, accessToken, logger, carry }] of this.#clients) {
      this.#tell(["open", id, config, accessToken !== undefined, logger !== undefined, carry !== undefined]);
    }
    for (const [id, { message, seen, signal }] of this.#calls) {
      if (message) {
        this.#tell([...message.slice(0, -1), seen] as unknown as ToWorker);
      }
      if (signal?.aborted) {
        this.#tell(["abort", id]);
      }
    }
    if (this.#calls.size > 0) {
      this.#watch();
    }
  }

  readonly bindings: Pick<Bindings, "newClient" | "freeClient" | "closeClient"> = {
    newClient: (config, accessToken, logger, carry) => {
      this.#last += 1;
      this.#clients.set(this.#last, { config, accessToken, logger, carry });
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
    return promise((resolve, reject) => {
      if (this.#dead !== undefined) {
        reject(this.#dead);
        return;
      }
      this.#last += 1;
      const id = this.#last;
      const message = ["call", id, name, client, args, images, onEvents !== undefined, onProgress !== undefined, undefined] as const;
      const abort = () => this.#tell(["abort", id]);
      signal?.addEventListener("abort", abort, { once: true });
      const leave = () => signal?.removeEventListener("abort", abort);
      this.#calls.set(id, { resolve, reject, message, lost: 0, onEvents, signal, onProgress, leave });
      this.#tell(message);
      this.#watch();
    });
  }

  /** While another worker is started, nothing is lost: it is told the clients and calls that are left. */
  #tell(message: ToWorker): void {
    if (this.#started) {
      this.#worker?.postMessage(message);
    }
  }

  #take(message: ToPage): void {
    this.#heard = true;
    switch (message[0]) {
      case "started":
        this.#settle(0)?.resolve("");
        break;
      case "module":
        modules.set(this.#wasm, message[1]);
        break;
      case "done":
        this.#settle(message[1])?.resolve(message[2]);
        break;
      case "failed":
        this.#settle(message[1])?.reject(this.#made(message[2]));
        break;
      case "events":
        this.#events(this.#calls.get(message[1]), message[2], message[3]);
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

  #events(call: Call | undefined, events: string, seen: Seen): void {
    if (call) {
      call.seen = seen;
      call.onEvents?.(events);
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
      this.#tell(["no answer", ask, textOf(reason, "message")]);
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
    this.#end(internal("the core was closed"));
  }

  /** The core has not started, or has ended. */
  #end(failure: Failure): void {
    if (this.#dead !== undefined) {
      return;
    }
    this.#dead = this.#made(failure);
    this.#worker?.terminate();
    clearTimeout(this.#timer);
    this.#listening.abort();
    this.#abortTools();
    this.#onEnd();
    for (const id of [...this.#calls.keys()]) {
      this.#settle(id)?.reject(this.#dead);
    }
    this.#clients.clear();
  }

  #abortTools(): void {
    for (const controller of this.#tools.values()) {
      controller.abort();
    }
  }
}

function internal(message: string, retryable = false): Failure {
  return ["api", JSON.stringify({ message: `ChatSDK: ${message}`, status: 0, code: "INTERNAL", retryable }), undefined, undefined];
}

/**
 * The page's end of a core in a worker; main.ts is the other end. It has its own file, so that
 * pages without a worker don't load it. It does not create the SDK's errors itself: their classes
 * belong to the entry.
 */

import type { Bindings, Host, Operation, OperationName } from "../bindings.js";
import { promise, resolved } from "../native.js";
import type { WasmModule } from "../options.js";
import type { Attempt } from "../shared.js";
import { textOf } from "../thrown.js";
import { listen } from "../wake.js";
import { launch } from "./launch.js";
import type { Failure, Seen, ToPage, ToWorker } from "./messages.js";
import { Pulse } from "./pulse.js";
import { type Call, type Client, goesOn } from "./repeat.js";

/** The modules by address, for the next worker after a crash. */
const modules = new Map<WasmModule | string, WasmModule>();

/**
 * Starts the core. Rejects if it cannot be loaded, as in a page. `error` makes the errors that the worker reports. If the
 * attempt is aborted, the worker ends; if the core is gone, the attempt is forgotten. The next worker may take `timeout`
 * milliseconds to start.
 */
export type Start = (
  wasm: WasmModule | string, timeout: number, error: Host["error"], attempt: Pick<Attempt, "signal" | "again" | "forget">,
) => Promise<RemoteCore>;

/**
 * Opens a worker, with the script at the address or the one inside this file. If no worker can be
 * opened, rejects with an error that says what to do. It is a TimeoutError if the script has not come within 10 s.
 */
export async function open(address: string | undefined, signal: AbortSignal): Promise<Start> {
  if (typeof Worker === "undefined" || !("document" in globalThis || "importScripts" in globalThis)) {
    throw new Error("workers are for browsers; leave the option worker out");
  }
  const worker = await launch(address, signal);
  return (...core) => RemoteCore.start(worker, (signal) => launch(address, signal), ...core);
}

/** One running core, in its own worker, which ends with it. If the worker dies silently, another one takes its place. */
class RemoteCore {
  /** What other workers still say is not heard. */
  #worker: Worker | undefined;
  /** False until the worker's program runs. */
  #started = false;
  readonly #launch: (signal: AbortSignal) => Promise<Worker>;
  readonly #wasm: WasmModule | string;
  readonly #timeout: number;
  readonly #error: Host["error"];
  readonly #onEnd: () => void;
  readonly #calls = new Map<number, Call>();
  readonly #clients = new Map<number, Client>();
  /** Aborts the running tools, by the question for their result. */
  readonly #tools = new Map<number, AbortController>();
  /** Aborts when the core ends. */
  readonly #ending = new AbortController();
  #last = 0;
  #dead: Error | undefined;
  readonly #pulse = new Pulse(
    () => this.#worker?.postMessage(["ping"] satisfies ToWorker),
    () => this.#calls.size > 0 && !this.dead,
    () => this.#started ? void this.#replace() : this.#end(died),
  );

  /** How many clients are open. */
  clients = 0;

  private constructor(launch: (signal: AbortSignal) => Promise<Worker>, ...[wasm, timeout, error, { forget }]: Parameters<Start>) {
    this.#launch = launch;
    this.#wasm = wasm;
    this.#timeout = timeout;
    this.#error = error;
    this.#onEnd = forget;
  }

  static async start(worker: Worker, launch: (signal: AbortSignal) => Promise<Worker>, ...rest: Parameters<Start>): Promise<RemoteCore> {
    const core = new RemoteCore(launch, ...rest);
    const [, , , { signal, again }] = rest;
    const giveUp = () => core.end();
    signal.addEventListener("abort", giveUp);
    try {
      const begun = core.#begin(worker, again);
      if (signal.aborted) {
        giveUp();
      }
      await begun;
    } catch (reason) {
      core.#end(internal(`the core's worker could not start (${textOf(reason, "message")})`));
      throw core.#dead;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
    core.#started = true;
    listen(() => core.#tell(["wake"]), () => core.#tell(["go offline"]), core.#ending.signal);
    return core;
  }

  /** Starts the program in a worker. */
  #begin(worker: Worker, pastCache: boolean): Promise<void> {
    this.#worker = worker;
    const wasm = this.#wasm;
    worker.onerror = (event) => {
      event.preventDefault(); // the calls report it
      if (worker === this.#worker) {
        this.#end(internal(`the core's worker failed (${event.message}); the next call starts another`));
      }
    };
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      if (worker === this.#worker) {
        this.#take(data);
      }
    };
    return promise((resolve, reject) => {
      this.#calls.set(0, {
        resolve: () => resolve(), reject, lost: 0, onEvents: undefined, signal: undefined, onProgress: undefined, onLog: undefined, leave() {},
      });
      // Turbopack gives an address without its origin, and a script from a blob: address has no
      // origin to add.
      const from = typeof wasm === "string" ? resolved(wasm, globalThis.location?.href).href : wasm;
      worker.postMessage(["start", modules.get(wasm) ?? from, pastCache] satisfies ToWorker);
      this.#pulse.watch();
    });
  }

  /** Continues in another worker. The calls that can't be repeated there fail. */
  async #replace(): Promise<void> {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#started = false;
    this.#abortTools();
    for (const client of this.#clients.values()) {
      client.thrown = undefined; // the next worker has its own questions
    }
    for (const call of this.#calls.values()) {
      call.lost += 1;
    }
    this.#giveUp();
    const timer = setTimeout(() => this.#end(internal(`no other worker of the core has started within ${this.#timeout} ms`, true, "TIMEOUT")), this.#timeout);
    try {
      const worker = await this.#launch(this.#ending.signal);
      if (this.dead) { // nobody needs it any more
        worker.terminate();
        return;
      }
      await this.#begin(worker, true);
    } catch (error) {
      this.#end(internal(`${textOf(error, "message")}`, true, textOf(error, "name") === "TimeoutError" ? "TIMEOUT" : undefined));
      return;
    } finally {
      clearTimeout(timer);
    }
    this.#started = true;
    this.#giveUp();
    for (const [id, { config, accessToken, logger, carry }] of this.#clients) {
      this.#tell(["open", id, config, accessToken !== undefined, logger !== undefined, carry !== undefined]);
    }
    for (const [id, { message, seen, signal }] of [...this.#calls]) {
      if (message) {
        this.#send(id, [...message.slice(0, -1), seen] as unknown as ToWorker);
      }
      if (signal?.aborted) {
        this.#tell(["abort", id]);
      }
    }
    this.#pulse.watch();
  }

  /** Rejects the calls that do not go on in another worker. */
  #giveUp(): void {
    for (const [id, call] of [...this.#calls]) {
      if (!call.message || !goesOn(call.message, call.lost, this.#clients.get(call.message[3]))) {
        this.#settle(id)?.reject(this.#made(died));
      }
    }
  }

  readonly bindings: Pick<Bindings, "newClient" | "freeClient" | "closeClient"> = {
    newClient: (config, accessToken, logger, carry) => {
      this.#last += 1;
      this.#clients.set(this.#last, { config, accessToken, logger, carry, isClosed: false });
      this.#tell(["open", this.#last, config, accessToken !== undefined, logger !== undefined, carry !== undefined]);
      return this.#last;
    },
    freeClient: (client) => {
      this.#clients.delete(client);
      this.#tell(["free", client]);
    },
    closeClient: (client) => {
      const own = this.#clients.get(client);
      if (own) {
        own.isClosed = true;
      }
      this.#tell(["close", client]);
    },
  };

  get busy(): boolean {
    return this.#calls.size > 0;
  }

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(name: OperationName, ...[client, args, images, onEvents, signal, onProgress, onLog]: Parameters<Operation>): Promise<unknown> {
    return promise((resolve, reject) => {
      if (this.#dead !== undefined) {
        reject(this.#dead);
        return;
      }
      this.#last += 1;
      const id = this.#last;
      const has = [onEvents !== undefined, onProgress !== undefined, onLog !== undefined] as const;
      const message = ["call", id, name, client, args, images, ...has, undefined] as const;
      const abort = () => this.#tell(["abort", id]);
      signal?.addEventListener("abort", abort, { once: true });
      const leave = () => signal?.removeEventListener("abort", abort);
      this.#calls.set(id, { resolve, reject, message, lost: 0, onEvents, signal, onProgress, onLog, leave });
      this.#send(id, message);
      this.#pulse.watch();
    });
  }

  /** While another worker is started, nothing is lost: it is told the clients and calls that are left. */
  #tell(message: ToWorker): void {
    if (this.#started) {
      this.#worker?.postMessage(message);
    }
  }

  /** Tells a call, whose values may be such as no worker can get. */
  #send(id: number, message: ToWorker): void {
    try {
      this.#tell(message);
    } catch (reason) {
      this.#settle(id)?.reject(reason);
    }
  }

  #take(message: ToPage): void {
    this.#pulse.heard = true;
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
      case "log of call":
        this.#calls.get(message[1])?.onLog?.(message[2]);
        break;
      case "dead":
        this.#end(message[1]);
        break;
    }
  }

  #events(call: Call | undefined, events: string, seen: Seen): void {
    if (call) {
      call.seen = seen;
      call.lost = 0;
      call.onEvents?.(events);
    }
  }

  #settle(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.leave();
    return call;
  }

  /** Gives a token to the worker that asked. If a worker has died with its question, the next one gets the same token: a sign-in is not begun twice. */
  async #ask(ask: number, client: Client | undefined): Promise<void> {
    const worker = this.#worker;
    const answer = (message: ToWorker) => worker?.postMessage(message);
    const left = client?.asking?.worker === worker ? undefined : client?.asking?.token;
    const token = left ?? promise((resolve) => resolve(client?.accessToken?.()));
    const asking = { worker, token };
    if (client) {
      client.asking = asking;
    }
    try {
      const given = await token;
      // The core reports the fault; not everything can be sent to the worker.
      answer(["answer", ask, typeof given === "function" || typeof given === "symbol" ? {} : given]);
    } catch (reason) {
      if (client && worker === this.#worker) {
        client.thrown = { ask, reason };
      }
      answer(["no answer", ask, textOf(reason, "message")]);
    } finally {
      if (client?.asking === asking) {
        client.asking = undefined;
      }
    }
  }

  /** Runs a call with a tool of this page, for the worker that asked. */
  async #carry(...[, ask, client, ...call]: Extract<ToPage, readonly ["carry", ...unknown[]]>): Promise<void> {
    const worker = this.#worker;
    const controller = new AbortController();
    this.#tools.set(ask, controller);
    const answer = (message: ToWorker) => {
      if (this.#tools.get(ask) === controller) {
        this.#tools.delete(ask);
      }
      worker?.postMessage(message);
    };
    try {
      answer(["answer", ask, await this.#clients.get(client)?.carry?.(...call, controller.signal)]);
    } catch (reason) {
      answer(["no answer", ask, (reason as Error).message]); // carrier makes it an Error
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
    this.#pulse.end();
    this.#ending.abort();
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
    this.#tools.clear();
  }
}

function internal(message: string, retryable = false, code = "INTERNAL"): Failure {
  return ["api", JSON.stringify({ message: `ChatSDK: ${message}`, status: 0, code, retryable }), undefined, undefined];
}

const died = internal("the core's worker has died; call again", true);

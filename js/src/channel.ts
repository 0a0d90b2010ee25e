import { inBrowser } from "./config.js";
import { errorOf } from "./errors.js";
import type { CallMessage, Failure, FromCore, OpenMessage, OpenPort, Port, ToCore } from "./messages.js";
import { promise } from "./native.js";
import type { LogEntry, WasmModule } from "./options.js";
import type { Attempt } from "./shared.js";
import type { OnProgress } from "./upload.js";
import { listen } from "./wake.js";

/** The functions of a client, which stay in the page. */
export interface Functions {
  accessToken?: (() => Promise<unknown>) | undefined;
  logger?: ((entry: LogEntry) => void) | undefined;
  /** Runs a tool for a call. Resolves with its result. */
  runTool?: ((name: string, callId: string, args: string, signal: AbortSignal) => Promise<string>) | undefined;
}

/** What a call tells while it is under way. */
export interface Hearers {
  /** Gets the events of one network read as JSON; see visitEvents in bindings.ts. */
  onEvents?: ((events: string) => void) | undefined;
  onProgress?: OnProgress | undefined;
  onLog?: ((entry: LogEntry) => void) | undefined;
}

/** A call under way. */
interface Call extends Hearers {
  resolve(result: unknown): void;
  reject(reason: unknown): void;
  /** Removes the listener from the signal. */
  leave(): void;
}

/** The modules by address, for the next core. */
const modules = new Map<string, WasmModule>();

/** The page's end of the channel to a core. The page's functions and the classes of errors are here. */
export class Channel {
  readonly #port: Port;
  readonly #onEnd: () => void;
  /** Aborts when the core ends. */
  readonly #ending = new AbortController();
  readonly #calls = new Map<number, Call>();
  readonly #clients = new Map<number, Functions>();
  /** Aborts the running tools, by the question for their result. */
  readonly #tools = new Map<number, AbortController>();
  #last = 0;
  #dead: Error | undefined;
  /** How many clients are open. */
  clients = 0;

  private constructor(open: OpenPort, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#port = open((message) => this.#hear(message));
  }

  /**
   * Starts a core. Rejects if it cannot be loaded. If the attempt is aborted, the core ends; if the core is gone, the
   * attempt is forgotten.
   */
  static async start(open: OpenPort, wasm: WasmModule | string, { signal, again, forget }: Omit<Attempt, "came">): Promise<Channel> {
    const channel = new Channel(open, forget);
    const giveUp = () => channel.end();
    signal.addEventListener("abort", giveUp);
    try {
      const known = typeof wasm === "string" ? modules.get(wasm) ?? wasm : wasm;
      const starting = channel.#send({ kind: "start", wasm: known, pastCache: again }, 0, {});
      if (signal.aborted) {
        giveUp();
      }
      const module = await starting;
      if (typeof wasm === "string") {
        modules.set(wasm, module as WasmModule);
      }
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
    // The listeners keep the core alive, and only a browser calls them.
    if (inBrowser()) {
      listen(() => channel.#port.post({ kind: "wake" }), () => channel.#port.post({ kind: "goOffline" }), channel.#ending.signal);
    }
    return channel;
  }

  get busy(): boolean {
    return this.#calls.size > 0;
  }

  get dead(): boolean {
    return this.#dead !== undefined;
  }

  /** Makes a client, and returns its number. */
  open(functions: Functions, settings: string, fetch?: OpenMessage["fetch"]): number {
    this.#last += 1;
    this.#clients.set(this.#last, functions);
    this.#port.post({ kind: "open", client: this.#last, settings, fetch });
    return this.#last;
  }

  /** Forgets a client. The operations that it has begun continue. */
  free(client: number): void {
    this.#port.post({ kind: "free", client });
    this.#clients.delete(client);
  }

  /** Ends the calls of a client except its stops, and lets the service finish its answers. The client is freed later. */
  close(client: number): void {
    this.#port.post({ kind: "close", client });
  }

  /** Runs an operation. Its promise is rejected when the core crashes. */
  call(call: Pick<CallMessage, "operation" | "client" | "args" | "files">, hearers: Hearers = {}, signal?: AbortSignal): Promise<unknown> {
    this.#last += 1;
    const id = this.#last;
    return this.#send({ ...call, kind: "call", id, progress: hearers.onProgress !== undefined }, id, hearers, signal);
  }

  /** Frees the core, which nobody uses any more. */
  end(): void {
    this.#end({ kind: "api", fields: { message: "ChatSDK: the core was closed", status: 0, code: "INTERNAL" } });
    this.#port.end();
  }

  #send(message: ToCore, id: number, hearers: Hearers, signal?: AbortSignal): Promise<unknown> {
    return promise((resolve, reject) => {
      if (this.#dead) {
        reject(this.#dead);
        return;
      }
      const abort = () => this.#port.post({ kind: "abort", id });
      signal?.addEventListener("abort", abort);
      this.#calls.set(id, { ...hearers, resolve, reject, leave: () => signal?.removeEventListener("abort", abort) });
      try {
        this.#port.post(message);
        if (signal?.aborted) {
          abort();
        }
      } catch (reason) {
        this.#settle(id)?.reject(reason);
      }
    });
  }

  #hear(message: FromCore): void {
    switch (message.kind) {
      case "started":
        this.#settle(0)?.resolve(message.module);
        break;
      case "done":
        this.#settle(message.id)?.resolve(message.result);
        break;
      case "failed":
        this.#settle(message.id)?.reject(errorOf(message.failure));
        break;
      case "events":
        this.#calls.get(message.id)?.onEvents?.(message.events);
        break;
      case "progress":
        this.#calls.get(message.id)?.onProgress?.(message.sent, message.total);
        break;
      case "log":
        (message.id ? this.#calls.get(message.id)?.onLog : this.#clients.get(message.client)?.logger)?.(message.entry);
        break;
      case "token":
        void this.#reply(message.ask, () => this.#clients.get(message.client)?.accessToken?.());
        break;
      case "tool":
        void this.#runTool(message);
        break;
      case "leave":
        this.#tools.get(message.ask)?.abort();
        break;
      case "dead":
        this.#end(message.failure);
        break;
    }
  }

  #settle(id: number): Call | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    call?.leave();
    return call;
  }

  /** Gives the core what it asked for. */
  async #reply(ask: number, work: () => unknown): Promise<void> {
    try {
      this.#port.post({ kind: "given", ask, value: await work() });
    } catch (reason) {
      this.#port.post({ kind: "threw", ask, reason });
    }
  }

  async #runTool({ ask, client, name, callId, args }: Extract<FromCore, { kind: "tool" }>): Promise<void> {
    const controller = new AbortController();
    this.#tools.set(ask, controller);
    await this.#reply(ask, () => this.#clients.get(client)?.runTool?.(name, callId, args, controller.signal));
    this.#tools.delete(ask);
  }

  /** The core has not started, or has ended. */
  #end(failure: Failure): void {
    if (this.#dead !== undefined) {
      return;
    }
    this.#dead = errorOf(failure);
    this.#ending.abort();
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

/**
 * The page's end of the pipe to a core in a worker; main.ts is the other end. It has its own file, so that pages without a
 * worker don't load it. It does not create the SDK's errors itself: their classes belong to the entry.
 */

import type { Failure, FromCore, OpenPort, Port, ToCore } from "../messages.js";
import { resolved } from "../native.js";
import type { WasmModule } from "../options.js";
import { textOf } from "../thrown.js";
import { launch } from "./launch.js";
import { Pulse } from "./pulse.js";
import { again, goesOn, type OpenClient, type PendingCall } from "./repeat.js";

/** A question of a worker for a token or a tool's result. That of a dead one is `left`, and only a token is waited for. */
type Asked = Extract<FromCore, { kind: "token" | "tool" }> & { readonly left?: boolean };

/**
 * Opens a worker, with the script at the address or the one inside this file. If no worker can be opened, rejects with an
 * error that says what to do. It is a TimeoutError if the script has not come within 10 s. The next worker may take
 * `timeout` milliseconds to start.
 */
export async function open(address: string | undefined, timeout: number, signal: AbortSignal): Promise<OpenPort> {
  if (typeof Worker === "undefined" || !("document" in globalThis || "importScripts" in globalThis)) {
    throw new Error("workers are for browsers; leave the option worker out");
  }
  const worker = await launch(address, signal);
  return (hear) => new Remote(worker, (signal) => launch(address, signal), timeout, hear);
}

/**
 * A core in its own worker, which ends with it. If the worker dies silently, another one takes its place. The pipe remembers
 * what the next one must be told: the clients, and the calls with what the page has of them.
 */
class Remote implements Port {
  /** What other workers still say is not heard. */
  #worker: Worker | undefined;
  /** False until the worker's program runs. */
  #started = false;
  readonly #launch: (signal: AbortSignal) => Promise<Worker>;
  readonly #timeout: number;
  readonly #hear: (message: FromCore) => void;
  readonly #calls = new Map<number, PendingCall>();
  readonly #clients = new Map<number, OpenClient>();
  /** What this worker asks the page for, by the number that the page has, since each worker begins with 1. */
  readonly #asked = new Map<number, Asked>();
  #lastAsk = 0;
  /** What the function of each client threw the last time: the cause of errors, unchanged. */
  readonly #thrown = new Map<number, { ask: number; reason: unknown }>();
  readonly #ending = new AbortController();
  #wasm: WasmModule | string = "";
  #isOffline = false;
  /** Ends the start of another worker. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #pulse = new Pulse(
    () => this.#worker?.postMessage({ kind: "ping" } satisfies ToCore),
    () => !this.#ending.signal.aborted && (!this.#started || this.#calls.size > 0),
    () => this.#started ? void this.#replace() : this.#die(died),
  );

  constructor(worker: Worker, launch: (signal: AbortSignal) => Promise<Worker>, timeout: number, hear: (message: FromCore) => void) {
    this.#launch = launch;
    this.#timeout = timeout;
    this.#hear = hear;
    this.#attend(worker);
  }

  post(message: ToCore): void {
    switch (message.kind) {
      case "start":
        this.#start(message.wasm, message.pastCache);
        return;
      case "open":
        this.#clients.set(message.client, { message });
        break;
      case "free":
        this.#clients.delete(message.client);
        break;
      case "close": {
        const client = this.#clients.get(message.client);
        if (client) {
          client.closed = true;
        }
        break;
      }
      case "call":
        this.#pass(message); // may throw
        this.#calls.set(message.id, { message, lost: 0 });
        this.#pulse.watch();
        return;
      case "abort": {
        const call = this.#calls.get(message.id);
        if (call) {
          call.aborted = true;
        }
        break;
      }
      case "given":
      case "threw":
        this.#answer(message);
        return;
      case "wake":
      case "goOffline":
        this.#isOffline = message.kind === "goOffline";
        break;
    }
    this.#pass(message);
  }

  end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    clearTimeout(this.#timer);
    this.#pulse.end();
    this.#ending.abort();
  }

  #die(failure: Failure): void {
    this.end();
    this.#hear({ kind: "dead", failure });
  }

  #attend(worker: Worker): void {
    this.#worker = worker;
    worker.onerror = (event) => {
      event.preventDefault(); // the calls report it
      if (worker === this.#worker) {
        this.#die(internal(`the core's worker failed (${event.message}); the next call starts another`));
      }
    };
    worker.onmessage = ({ data }: MessageEvent<FromCore>) => {
      if (worker === this.#worker) {
        this.#pulse.heard = true;
        this.#heard(data);
      }
    };
  }

  /** Starts the program in the worker. */
  #start(wasm: WasmModule | string, pastCache: boolean): void {
    // Turbopack gives an address without its origin, and a script from a blob: address has no origin to add.
    this.#wasm = typeof wasm === "string" ? resolved(wasm, globalThis.location?.href).href : wasm;
    try {
      this.#worker?.postMessage({ kind: "start", wasm: this.#wasm, pastCache } satisfies ToCore);
      this.#pulse.watch();
    } catch (reason) {
      this.#die(internal(`the core's worker could not start (${textOf(reason, "message")})`));
    }
  }

  /** Continues in another worker. The calls that can't be repeated there fail. */
  async #replace(): Promise<void> {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#started = false;
    this.#thrown.clear();
    for (const [ask, asked] of [...this.#asked]) {
      if (asked.kind === "token") { // a sign-in is not begun twice
        this.#asked.set(ask, { ...asked, left: true });
      } else {
        this.#asked.delete(ask);
        this.#hear({ kind: "leave", ask });
      }
    }
    for (const call of this.#calls.values()) {
      call.lost += 1;
    }
    this.#giveUp();
    this.#timer = setTimeout(() => this.#die(internal(`no other worker of the core has started within ${this.#timeout} ms`, true, "TIMEOUT")), this.#timeout);
    try {
      const worker = await this.#launch(this.#ending.signal);
      if (this.#ending.signal.aborted) { // nobody needs it any more
        worker.terminate();
        return;
      }
      this.#attend(worker);
      this.#start(this.#wasm, true);
    } catch (error) {
      this.#die(internal(`${textOf(error, "message")}`, true, textOf(error, "name") === "TimeoutError" ? "TIMEOUT" : undefined));
    }
  }

  /** Tells a worker that has started the clients and calls that are there. */
  #begin(): void {
    this.#started = true;
    clearTimeout(this.#timer);
    this.#giveUp();
    for (const { message } of this.#clients.values()) {
      this.#pass(message);
    }
    if (this.#isOffline) {
      this.#pass({ kind: "goOffline" });
    }
    for (const [id, call] of [...this.#calls]) {
      try {
        this.#pass(again(call));
        if (call.aborted) {
          this.#pass({ kind: "abort", id });
        }
      } catch (reason) {
        this.#fail(id, internal(`${textOf(reason, "message")}`));
      }
    }
    this.#pulse.watch();
  }

  /** Fails the calls that do not go on in another worker. */
  #giveUp(): void {
    for (const [id, call] of [...this.#calls]) {
      if (!goesOn(call, this.#clients.get(call.message.client))) {
        this.#fail(id, died);
      }
    }
  }

  #fail(id: number, failure: Failure): void {
    this.#calls.delete(id);
    this.#hear({ kind: "failed", id, failure });
  }

  /** While another worker is started, nothing is lost: it is told the clients and calls that are left. */
  #pass(message: ToCore): void {
    if (this.#started) {
      this.#worker?.postMessage(message);
    }
  }

  #heard(message: FromCore): void {
    switch (message.kind) {
      case "started":
        this.#wasm = message.module;
        this.#begin();
        break;
      case "done":
        this.#calls.delete(message.id);
        break;
      case "failed":
        this.#fail(message.id, this.#caused(message.failure));
        return;
      case "events": {
        const call = this.#calls.get(message.id);
        if (call) {
          call.message = { ...call.message, seen: message.seen };
          call.lost = 0;
        }
        break;
      }
      case "token":
      case "tool":
        this.#ask(message);
        return;
      case "leave":
        for (const [ask, asked] of this.#asked) {
          if (asked.ask === message.ask && !asked.left) {
            this.#hear({ kind: "leave", ask });
          }
        }
        return;
      case "dead":
        this.end();
        break;
    }
    this.#hear(message);
  }

  /** Passes a question on. If a worker has died with its question for a token, the next one gets what the page gives to that. */
  #ask(asked: Asked): void {
    const [left] = [...this.#asked].find(([, { left, client }]) => left && asked.kind === "token" && client === asked.client) ?? [];
    const ask = left ?? (this.#lastAsk += 1);
    this.#asked.set(ask, asked);
    if (left === undefined) {
      this.#hear({ ...asked, ask });
    }
  }

  #answer(message: Extract<ToCore, { kind: "given" | "threw" }>): void {
    const { ask, client, kind, left } = this.#asked.get(message.ask) ?? { left: true };
    if (!left) {
      if (message.kind === "threw") {
        const { reason } = message;
        if (kind === "token") {
          this.#thrown.set(client, { ask, reason });
        }
        this.#pass({ kind: "threw", ask, reason: { ask, message: textOf(reason, "message") } });
      } else {
        // The core reports the fault; not everything can be sent to the worker, and if this throws, the page says "threw".
        this.#pass({ kind: "given", ask, value: /^(function|symbol)$/.test(typeof message.value) ? {} : message.value });
      }
    }
    this.#asked.delete(message.ask);
  }

  /** The failure with what the page's function threw as its cause, in place of what the worker got. */
  #caused(failure: Failure): Failure {
    const { ask } = Object(failure.cause) as Partial<Asked>;
    return ask === undefined ? failure : { ...failure, cause: [...this.#thrown.values()].find((thrown) => thrown.ask === ask)?.reason };
  }
}

function internal(message: string, retryable = false, code = "INTERNAL"): Failure {
  return { kind: "api", fields: { message: `ChatSDK: ${message}`, status: 0, code, retryable } };
}

const died = internal("the core's worker has died; call again", true);

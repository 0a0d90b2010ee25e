// A worker whose messages the test sends, for tests of the page's half in Node.
import { readFileSync } from "node:fs";

import { open } from "../../dist/chatsdk.worker.mjs";

// What a page has and Node 20 lacks.
globalThis.navigator ??= { onLine: true };
globalThis.addEventListener ??= () => {};

export class FakeWorker {
  static made = [];
  ended = false;

  constructor(address) {
    this.address = address;
    this.told = [];
    FakeWorker.made.push(this);
  }

  postMessage(message) {
    this.told.push(message);
  }

  terminate() {
    this.ended = true;
  }

  say(...message) {
    this.onmessage({ data: message });
  }

  /** What it was told of these kinds. */
  heard(...kinds) {
    return this.told.filter(([kind]) => kinds.includes(kind));
  }
}

/** Opens a worker of an address, as a page would. */
export function opened() {
  Object.assign(globalThis, { Worker: FakeWorker, document: new EventTarget() });
  const giveUp = new AbortController();
  const start = open("https://site.example/worker.js", giveUp.signal);
  return { start, worker: FakeWorker.made.at(-1), giveUp };
}

/** An attempt that is the first, and waited for. */
export const attempt = (forget = () => {}, { signal } = new AbortController()) => ({ signal, again: false, forget });

export const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
export const made = (kind, fields, cause) => Object.assign(new Error(JSON.parse(fields).message), { kind, cause, code: JSON.parse(fields).code });

/** A core in a started worker. */
export async function started(timeout = 5000) {
  const { start, worker } = opened();
  worker.say("ready", version);
  const starting = (await start)("https://site.example/chatsdk.wasm", timeout, made, attempt());
  worker.say("started");
  return { core: await starting, worker };
}

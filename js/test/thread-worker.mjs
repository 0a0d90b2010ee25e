// Real workers for tests in Node: threads that run dist/chatsdk.worker.js, and can die without an event.
import { Worker as Thread } from "node:worker_threads";

// What a page has and Node 20 lacks.
globalThis.navigator ??= { onLine: true };
globalThis.addEventListener ??= () => {};
globalThis.document ??= new EventTarget();
globalThis.location ??= new URL("https://site.example/"); // not the service's

const script = new URL("../../dist/chatsdk.worker.js", import.meta.url).pathname;
const frame = `
  const { parentPort } = require("node:worker_threads");
  globalThis.onmessage = null;
  globalThis.postMessage = (message) => parentPort.postMessage(message);
  parentPort.on("message", (data) => globalThis.onmessage({ data }));
  (0, eval)(require("node:fs").readFileSync(${JSON.stringify(script)}, "utf8"));`;

/** The looks of a page after its worker, which go on when a test says so, and not with the clock. */
const looks = new Set();
const { setTimeout: timer, clearTimeout: clear } = globalThis;
globalThis.setTimeout = (run, ms, ...rest) => {
  if (ms !== 2000) {
    return timer(run, ms, ...rest);
  }
  const look = { run, unref() {} };
  looks.add(look);
  return look;
};
globalThis.clearTimeout = (timer) => looks.delete(timer) || clear(timer);

globalThis.Worker = class ThreadWorker {
  static made = [];
  /** Called before a message to the page; false keeps it, and all that follow, since the worker is dead then. */
  static passes = () => true;
  #thread = new Thread(frame, { eval: true });
  #isDead = false;
  isEnded = false;

  constructor() {
    this.constructor.made.push(this);
    this.#thread.on("message", (data) => {
      if (!this.#isDead && (this.constructor.passes(data, this) || !this.die())) {
        this.onmessage?.({ data });
      }
    });
    this.#thread.unref();
  }

  postMessage(message) {
    if (!this.#isDead) {
      this.#thread.postMessage(message);
    }
  }

  /** Dies without an event. */
  die() {
    this.#isDead = true;
    void this.#thread.terminate();
    return true;
  }

  terminate() {
    this.isEnded = true;
    this.die();
  }
};

/** Lets the page look until it has ended a worker. */
export async function noticed(worker) {
  while (!worker.isEnded) {
    for (const look of looks) {
      looks.delete(look);
      look.run();
    }
    await new Promise(setImmediate);
  }
}

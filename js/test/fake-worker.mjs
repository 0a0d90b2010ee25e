// A worker whose messages the test sends, for tests of the page's half in Node.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

import { open } from "../../dist/chatsdk.worker.mjs";

// The entry has the page's end of the channel inside.
const root = new URL("../..", import.meta.url);
const channel = execFileSync("go", ["tool", "esbuild", "--bundle", "--format=esm", "js/src/channel.ts"], { cwd: root });
const { Channel } = await import(`data:text/javascript;base64,${channel.toString("base64")}`);

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

  say(kind, fields) {
    this.onmessage({ data: { kind, ...fields } });
  }

  /** What it was told of these kinds. */
  heard(...kinds) {
    return this.told.filter(({ kind }) => kinds.includes(kind));
  }
}

const wasm = "https://site.example/chatsdk.wasm";

/** Opens a worker of an address, as a page would. `start` rejects, or resolves with what starts a core in it. */
export function opened(timeout = 5000) {
  Object.assign(globalThis, { Worker: FakeWorker, document: new EventTarget() });
  const giveUp = new AbortController();
  const opening = open("https://site.example/worker.js", timeout, giveUp.signal);
  const start = opening.then((port) => (forget = () => {}) => Channel.start(port, wasm, { signal: giveUp.signal, again: false, forget }));
  return { start, worker: FakeWorker.made.at(-1), giveUp };
}

export const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));

/** What a core says about an error. */
export const failure = (message, cause) => ({ failure: { kind: "api", fields: { message }, cause } });

/** A core in a started worker. */
export async function started(timeout, forget) {
  const { start, worker } = opened(timeout);
  worker.say("ready", { version });
  const starting = (await start)(forget);
  worker.say("started");
  return { core: await starting, worker };
}

/** What the core needs from the platform that it runs on. */

import type { Host } from "./bindings.js";
import { late } from "./late.js";
import { promises } from "./native.js";

/** Sends requests that fetch cannot send; it is in its own file. */
export async function upload(...request: Parameters<typeof import("./upload.js").upload>): Promise<Response> {
  const part = await late<typeof import("./upload.js")>(
    "upload", request[1].signal, SCRIPT ? undefined : () => import("./chatsdk.upload.mjs"),
  );
  return part.upload(...request);
}

/** Tells fetch to follow no redirects. workerd does not know "error"; there the status of a redirect causes the error. */
export function refusal(): RequestRedirect {
  try {
    return new Request("https://example.com", { redirect: "error" }).redirect;
  } catch {
    return "manual";
  }
}

/** The global object of the Go program, so that the page gets no globals and two copies of the SDK don't collide. */
export function scope(chatsdk: Host) {
  const { Object, Array, Date } = globalThis;
  // jsdom has neither, and Jest does not add them.
  const { TextEncoder, TextDecoder } = globalThis.TextEncoder ? globalThis : globalThis.process.getBuiltinModule("node:util");
  const fs = { constants: new Proxy({}, { get: () => -1 }) }; // O_WRONLY and so on: there are no files
  return { Object, Array, Date, Promise: promises(), TextEncoder, TextDecoder, fs, chatsdk };
}

/** Measures how long ago bytes arrived, with two clocks: one can be set back, the other stops while a device sleeps. */
export class Clock {
  #wall = 0;
  #ticks = 0;

  touch(): void {
    this.#wall = Date.now();
    this.#ticks = performance.now();
  }

  /** How many milliseconds ago the last bytes arrived; 0 if none have. */
  ago(): number {
    return this.#wall === 0 ? 0 : Math.max(Date.now() - this.#wall, performance.now() - this.#ticks);
  }
}

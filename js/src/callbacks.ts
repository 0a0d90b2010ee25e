import { receivers, visitEvents } from "./bindings.js";
import { typeName } from "./errors.js";
import { promise } from "./native.js";
import type { CallOptions, StreamCallbacks } from "./options.js";
import type { Message } from "./types.js";

/** The names of the callbacks. */
export const callbackNames = [...Object.values(receivers).map(([callback]) => callback), "onError", "onMessageEnd"] as const;

/** Refuses a callback that is not a function. */
export function checkCallbacks(name: string, callbacks: StreamCallbacks): void {
  for (const key of callbackNames) {
    checkFunction(name, key, callbacks[key]);
  }
}

/** Refuses an option that is not a function. */
export function checkFunction(
  name: string, key: string, value: unknown,
): asserts value is ((...args: readonly unknown[]) => unknown) | null | undefined {
  if (value !== undefined && value !== null && typeof value !== "function") {
    throw new TypeError(`${name}: ${key} is ${typeName(value)}, want a function`);
  }
}

/** Refuses callbacks in methods that call none. */
export function noCallbacks(name: string, options: object): void {
  for (const key of callbackNames) {
    if (key in options) {
      throw new TypeError(`${name}: ${key} is unknown; read the events`);
    }
  }
}

/** Passes events to their callbacks, one each and in order, until the client is closed. The call itself reports the end. */
export function dispatch(json: string, callbacks: StreamCallbacks & CallOptions, isClosed: () => boolean): void {
  visitEvents(json, (type, value) => {
    if (callbacks.signal?.aborted || isClosed()) {
      return false;
    }
    const receiver = receivers[type];
    if (receiver) {
      give(callbacks[receiver[0]] as (value: unknown) => void, type === "complete" ? asText(value) : value);
    }
    return true;
  });
}

/** Runs a callback. An error that it throws, or rejects with, is reported and ends nothing. */
export function give<T>(callback: ((value: T) => unknown) | null | undefined, value: T): void {
  try {
    const result = callback?.(value);
    if (Object(result) === result) { // perhaps a promise, of this realm or another
      promise((resolve) => resolve(result)).catch(report);
    }
  } catch (error) {
    report(error);
  }
}

function report(error: unknown): void {
  try {
    (globalThis.reportError ?? console.error)(error);
  } catch {
    // Not even that can be told: a revoked proxy cannot be read.
  }
}

/** Says that the stream is over, without an argument. */
export function end(callbacks: StreamCallbacks): void {
  give(() => callbacks.onMessageEnd?.(), undefined);
}

/** Makes a message usable as its text. Copies do not have the method, so they are plain data. */
export function asText(message: Message): Message {
  return Object.defineProperty(message, "toString", {
    value(this: Message) {
      return this.content;
    },
    configurable: true,
    writable: true,
  });
}

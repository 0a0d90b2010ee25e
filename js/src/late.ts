import { APIError, coreError } from "./errors.js";
import { promise, resolved } from "./native.js";

/** How often loading a file has failed. */
const failures = new Map<string, number>();

/**
 * Imports a file that most pages don't need, until the signal aborts. `chunk` imports it by its literal name, which
 * bundlers look for; the build for script tags has none.
 *
 * Whoever imports an address while its request hangs waits for the same request, and Firefox never requests an
 * address again that has failed. So the address changes after a failure, unless a bundler has named the files.
 */
export async function late<T>(name: string, signal: AbortSignal | null | undefined, chunk: (() => Promise<T>) | undefined): Promise<T> {
  const failed = failures.get(name) ?? 0;
  const file = `chatsdk.${name}.mjs`;
  try {
    return await until(signal, chunk && !(failed && isBeside()) ? chunk() : beside(`./${file}${failed ? `?${failed}` : ""}`));
  } catch (cause) {
    hasFailed(name);
    throw signal?.aborted
      ? new APIError(`ChatSDK: ${file} did not arrive in time`, { status: 0, code: "TIMEOUT", retryable: true }, { cause })
      : coreError(`${file} could not be fetched`, cause, true, `serve ${file} beside the script`);
  }
}

/** Lets the next import ask for a file at another address. */
export function hasFailed(name: string): void {
  failures.set(name, (failures.get(name) ?? 0) + 1);
}

/** Whether this is the package's own file, not a bundler's. */
function isBeside(): boolean {
  return SCRIPT || /^https?:[^?#]*\/chatsdk\.mjs([?#]|$)/.test(import.meta.url);
}

/** The Makefile adds the comments by which bundlers leave this import alone. */
function beside<T>(file: string): Promise<T> {
  return import(resolved(file, import.meta.url).href) as Promise<T>;
}

/** Rejects when the signal aborts. */
export function until<T>(signal: AbortSignal | null | undefined, pending: Promise<T>): Promise<T> {
  return promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener("abort", abort);
    if (signal?.aborted) {
      abort();
    }
    pending.then(resolve, reject).finally(() => signal?.removeEventListener("abort", abort));
  });
}

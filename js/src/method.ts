import { checkSignal } from "./arguments.js";
import { APIError, abortError, type Place, placed } from "./errors.js";
import { promise } from "./native.js";
import { isA } from "./thrown.js";

/** What an operation is called with in addition to its arguments and options. */
export interface Extras {
  files?: readonly Blob[];
  onEvents?: (events: string) => void;
  /** Where it was called, if that is not where its own method was. */
  here?: Place;
  /** The method that was called, if it is not its own. */
  as?: string;
}

/** The functions that reject the calls in flight. */
export type Rejections = Set<(reason: unknown) => void>;

export function closed(name: string): DOMException {
  return new DOMException(`${name}: this ChatSDK was closed; make a new one`, "InvalidStateError");
}

export function withdrawn(): DOMException {
  return new DOMException("the message was given up before it arrived", "AbortError");
}

export function isMissing(error: unknown): boolean {
  return isA(error, APIError) && error.status === 404;
}

/** The advice that stands in the console. */
const written = new Set<string>();

/** Writes an error's advice to the console, once, whether the page catches the error or not. */
function advise(error: unknown): void {
  if (isA(error, APIError) && error.advice && !written.has(error.advice)) {
    written.add(error.advice);
    console.warn(`${error.name}: ${error.message}; ${error.advice}`);
  }
}

/**
 * Runs a method's work until it is done, the signal among its options is aborted,
 * or the client is closed. The stack of its error begins where the method was called,
 * unless the error is the signal's reason, which is the page's own.
 */
export async function run<T>(name: string, here: Place, options: object | undefined, calls: Rejections | undefined, work: () => Promise<T>): Promise<T> {
  const { signal }: { signal?: unknown } = options ?? {};
  try {
    if (!calls) {
      throw closed(name);
    }
    checkSignal(name, signal);
    return await promise<T>((resolve, reject) => {
      const abort = () => reject(signal && abortError(signal));
      calls.add(reject);
      signal?.addEventListener("abort", abort, { once: true });
      work().then(resolve, reject).finally(() => {
        calls.delete(reject);
        signal?.removeEventListener("abort", abort);
      });
    });
  } catch (error) {
    advise(error);
    throw error === (signal as AbortSignal | undefined)?.reason ? error : placed(error, here);
  }
}

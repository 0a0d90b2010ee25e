import type { Operation } from "./bindings.js";
import { Clock } from "./platform.js";

/** A call of an operation. */
export interface Call {
  /** The answer, if the program need not see it. */
  answer?: unknown;
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  images: Parameters<Operation>[2];
  onEvents: Parameters<Operation>[3];
  onProgress: Parameters<Operation>[5];
  onLog: Parameters<Operation>[6];
  /** Removes the listener from the signal. */
  leave(): void;
}

/** A request of the program, or a call that a tool runs for it. */
export class Exchange {
  readonly controller = new AbortController();
  response: Response | undefined;
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  readonly clock = new Clock();

  constructor(
    readonly onEvents?: Parameters<Operation>[3],
    /** The call that gets the body directly, and what the body must hold. */
    readonly passes?: { readonly to: Call; readonly shape: unknown } | undefined,
  ) {}
}

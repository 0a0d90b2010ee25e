import { type ErrorText, read } from "./bindings.js";

/** What an {@link APIError} is made of, beside its message. */
export interface APIErrorFields {
  /** HTTP status, 0 when there was no response. */
  status: number;
  /** What the server said beyond the message. */
  detail?: string;
  /**
   * What kind of failure it is: one of the service's codes, such as
   * `"ENTITY_NOT_FOUND"`; without a whole response `"NETWORK"`, `"TIMEOUT"`, `"STREAM_CUT"`,
   * `"AUTHENTICATION"` (the token function failed, or gave no token) or
   * `"INTERNAL"` (the core crashed, or cannot run here). Absent if the server gave none.
   */
  code?: string;
  /** Finds the request in the service's log; absent without a response. */
  requestId?: string;
  /** The fields of the request that were wrong. */
  invalidFields?: string[];
  /** Seconds to wait before the next try, as the service asks. */
  retryAfter?: number;
  /** The same call may succeed a moment later. Default: false. */
  retryable?: boolean;
  /** What had come of an answer when its stream failed. */
  partial?: string;
}

/** Any failure of the API: an error that the service answered, or no whole answer at all. */
export class APIError extends Error implements APIErrorFields {
  /**
   * Minifying would take it.
   *
   * @internal
   */
  static override readonly name = "APIError";
  override readonly name = "APIError";
  readonly status: number;
  declare readonly detail?: string;
  declare readonly code?: string;
  declare readonly requestId?: string;
  declare readonly invalidFields?: string[];
  declare readonly retryAfter?: number;
  readonly retryable: boolean = false;
  declare readonly partial?: string;

  constructor(message: string, fields: APIErrorFields, options?: ErrorOptions) {
    super(message, options?.cause === undefined ? undefined : options);
    this.status = fields.status;
    Object.assign(this, fields);
  }
}

/**
 * A failure to get the core, which has no response of its own; advice.ts says what
 * to do. One that is `retryable` is tried again, as any other request.
 *
 * @internal
 */
export function coreError(message: string, cause?: unknown, retryable = false): APIError {
  return new APIError(`ChatSDK: ${message}`, { status: 0, code: "NETWORK", retryable }, { cause });
}

/**
 * The platform, or a policy of the page, lets no core run; advice.ts says which.
 *
 * @internal
 */
export function cannotRun(cause?: unknown): APIError {
  return new APIError("ChatSDK: WebAssembly cannot run here", { status: 0, code: "INTERNAL" }, { cause });
}

/**
 * What a promise is rejected with whose `signal` was aborted. Another reason than
 * an `AbortError`, such as a `TimeoutError`, is its `cause`.
 *
 * @internal
 */
export function abortError({ reason }: { readonly reason?: unknown }): DOMException {
  return reason instanceof DOMException && reason.name === "AbortError"
    ? reason
    : Object.assign(new DOMException("the call was aborted", "AbortError"), { cause: reason });
}

/** Where a method was called. */
export interface Place {
  stack?: string;
}

/** Of Firefox from 138 on and of all other engines; TypeScript does not know it. */
declare const Error: ErrorConstructor & { captureStackTrace?(target: Place, method: unknown): void };

/**
 * Remembers where a method is being called: what it fails with is made later, and
 * by others.
 *
 * @internal
 */
export function placeOf(method: unknown): Place {
  const here = {};
  Error.captureStackTrace?.(here, method);
  return here;
}

/**
 * The failure as one of the call that was made there. What several calls fail with
 * is copied for each.
 *
 * @internal
 */
export function placed(failure: unknown, { stack }: Place): unknown {
  const error = failure instanceof APIError ? new APIError(failure.message, failure, failure) : failure;
  if (stack !== undefined && error instanceof Error) {
    // V8 writes the error above its frames, other engines write the frames alone.
    Object.defineProperty(error, "stack", { value: stack.replace(/^Error/, () => String(error)), configurable: true, writable: true });
  }
  return error;
}

/**
 * Makes an error of what the Go side says of it; see Host in bindings.ts.
 *
 * @internal
 */
export function fromGo(kind: "argument" | "api" | "abort", json: string, cause: unknown): Error {
  const { message, reason, ...fields } = read<ErrorText>(json);
  switch (kind) {
    case "argument":
      return new TypeError(message);
    case "abort":
      return new DOMException(message, "AbortError");
    case "api":
      return new APIError(message, fields, { cause: cause ?? (reason && new Error(reason)) });
  }
}

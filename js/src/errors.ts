import type { Failure } from "./messages.js";
import { isA } from "./thrown.js";

/**
 * The codes of an {@link APIError}. A newer service may give others. The last three and `AUTHENTICATION` and `INTERNAL` may also
 * come from the SDK, with status 0.
 */
export type ErrorCode =
  | "VALIDATION_ERROR"
  | "FEATURE_DISABLED"
  | "AUTHENTICATION"
  | "INVALID_BEARER_TOKEN"
  | "TOKEN_EXPIRED"
  | "PERMISSION_DENIED"
  | "ENTITY_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "CONFLICT"
  | "STREAM_GONE"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "RATE_LIMITED"
  | "QUOTA_EXCEEDED"
  | "INTERNAL"
  | "PROVIDER_FAILED"
  | "UNAVAILABLE"
  | "PROVIDER_TIMEOUT"
  | "NETWORK"
  | "TIMEOUT"
  | "STREAM_CUT"
  | (string & {});

/** Why the provider of a model did not answer. A newer service may give others. */
export type ErrorReason = "quota" | "key" | "model" | "rejected" | "broken" | "empty" | "filtered" | (string & {});

/** The fields of an {@link APIError}, besides its message. */
export interface APIErrorFields {
  /** HTTP status, 0 if there was no response. */
  status: number;
  /**
   * What the developer may have to set up, such as the origin that the service must allow; absent if there is nothing
   * to say. It is written to the console once.
   */
  advice?: string;
  /** More about the failure, from the service. */
  detail?: string;
  /**
   * The kind of failure. If the service answered, it is the code that the service gave, such as
   * `"ENTITY_NOT_FOUND"`, and absent if it gave none. Without a whole response it is
   * `"NETWORK"`, `"TIMEOUT"`, `"STREAM_CUT"`, `"AUTHENTICATION"` (the token function failed, or
   * returned no token) or `"INTERNAL"` (the core crashed, or cannot run here).
   */
  code?: ErrorCode;
  /** Says more of a failure of the model's provider; absent for other failures. */
  reason?: ErrorReason;
  /** Identifies the request in the service's log; absent without a response. */
  requestId?: string;
  /** The names of the wrong fields in the request. */
  invalidFields?: string[];
  /** Seconds to wait before the next try, as the service asks. */
  retryAfter?: number;
  /** Whether the same call may succeed a moment later. Default: false. */
  retryable?: boolean;
  /** The text of the answer that had arrived when its stream failed. */
  partial?: string;
}

/** Any failure of the API: the service answered with an error, or did not answer completely. */
export class APIError extends Error implements APIErrorFields {
  /**
   * Keeps the name when the code is minified.
   *
   * @internal
   */
  static override readonly name = "APIError";
  override readonly name = "APIError";
  readonly status: number;
  declare readonly advice?: string;
  declare readonly detail?: string;
  declare readonly code?: ErrorCode;
  declare readonly reason?: ErrorReason;
  declare readonly requestId?: string;
  declare readonly invalidFields?: string[];
  declare readonly retryAfter?: number;
  readonly retryable: boolean = false;
  declare readonly partial?: string;

  /**
   * @param message What failed.
   * @param fields The status, and what else is known about the failure.
   * @param options Its `cause`.
   * @throws Nothing.
   * @example
   * ```ts
   * const busy = new APIError("The service is busy", { status: 503, code: "UNAVAILABLE", retryable: true }); // in a test of your page
   * console.log(busy.code, busy.retryable);
   * ```
   */
  constructor(message: string, fields: APIErrorFields, options?: ErrorOptions) {
    super(message, options?.cause === undefined ? undefined : options);
    this.status = fields.status;
    Object.assign(this, fields);
  }
}

/**
 * A failure to load the core. advice.ts says what to do about it. If it is `retryable`, the
 * load is tried again like any other request.
 *
 * @internal
 */
export function coreError(message: string, cause?: unknown, retryable = false, advice?: string): APIError {
  return new APIError(`ChatSDK: ${message}`, { status: 0, code: "NETWORK", retryable, ...(advice && { advice }) }, { cause });
}

/**
 * The platform, or a policy of the page, does not allow the core to run; advice.ts says which.
 *
 * @internal
 */
export function cannotRun(cause?: unknown): APIError {
  return new APIError("ChatSDK: WebAssembly cannot run here", { status: 0, code: "INTERNAL" }, { cause });
}

/**
 * The error of a promise whose `signal` was aborted. If the signal's reason is not an
 * `AbortError` but, for example, a `TimeoutError`, it becomes the `cause`.
 *
 * @internal
 */
export function abortError({ reason }: { readonly reason?: unknown }): DOMException {
  return isA(reason, DOMException) && reason.name === "AbortError"
    ? reason
    : Object.assign(new DOMException("the call was aborted", "AbortError"), { cause: reason });
}

/**
 * Where a method was called.
 *
 * @internal
 */
export interface Place {
  stack?: string;
}

/**
 * All engines have it, Firefox since version 138. TypeScript does not know it.
 *
 * @internal
 */
declare const Error: ErrorConstructor & { captureStackTrace?(target: Place, method: unknown): void };

/**
 * Remembers where a method is called. Its error is created later, elsewhere, and would not
 * show the caller's line.
 *
 * @internal
 */
export function placeOf(method: unknown): Place {
  const here = {};
  Error.captureStackTrace?.(here, method);
  return here;
}

/**
 * The failure with the stack of its call. An APIError is copied, because several calls may
 * share it.
 *
 * @internal
 */
export function placed(failure: unknown, { stack }: Place): unknown {
  const error = isA(failure, APIError) ? new APIError(failure.message, failure, failure) : failure;
  if (stack !== undefined && isA(error, Error)) {
    // V8 writes the error above its frames, other engines write only the frames.
    Object.defineProperty(error, "stack", { value: stack.replace(/^Error/, () => String(error)), configurable: true, writable: true });
  }
  return error;
}

/**
 * Names the type of a wrong value: "a number", "an object", "undefined".
 *
 * @internal
 */
export function typeName(value: unknown): string {
  return value == null ? `${value}` : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

/**
 * Makes the error of a call or of a core.
 *
 * @internal
 */
export function errorOf({ kind, fields: { message, because, ...fields }, cause }: Failure): Error {
  switch (kind) {
    case "argument":
      return new TypeError(message);
    case "abort":
      return new DOMException(message, "AbortError");
    case "api":
      return new APIError(message, fields, { cause: cause ?? (because && new Error(because)) });
  }
}

/**
 * An error in the form that {@link errorOf} takes.
 *
 * @internal
 */
export function failureOf(error: unknown): Failure {
  const { message, cause, ...fields } = error instanceof APIError ? error : new APIError(String(error), { status: 0, code: "INTERNAL" });
  return { kind: "api", fields: { ...fields, message }, cause };
}

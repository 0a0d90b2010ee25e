import { readError } from "./bindings.js";

/** What an {@link APIError} is made of, beside its message. */
export interface APIErrorFields {
  /** HTTP status, 0 when there was no response. */
  status: number;
  /** What the server said beyond the message. */
  detail?: string;
  /**
   * What kind of failure it is: one of the service's codes, such as
   * `"ENTITY_NOT_FOUND"`; without a whole response `"NETWORK"`, `"TIMEOUT"`, `"STREAM_CUT"`,
   * `"AUTHENTICATION"` (the token function failed) or `"INTERNAL"` (the core
   * crashed). Absent where the server gave none.
   */
  code?: string;
  /** Finds the request in the service's log; absent without a response. */
  requestId?: string;
  /** The fields of the request that were wrong. */
  invalidFields?: string[];
  /** Seconds after which the service wants to be asked again. */
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
    super(message, options);
    this.status = fields.status;
    Object.assign(this, fields);
  }
}

/**
 * A failure to load or run the core, which has no response of its own.
 *
 * @internal
 */
export function coreError(message: string, cause?: unknown): APIError {
  return new APIError(`ChatSDK: ${message}`, { status: 0, code: "NETWORK" }, { cause });
}

/**
 * What a promise is rejected with whose `signal` was aborted.
 *
 * @internal
 */
export function abortError(signal: AbortSignal): DOMException {
  const reason: unknown = signal.reason;
  return reason instanceof DOMException && reason.name === "AbortError" ? reason : new DOMException("the call was aborted", "AbortError");
}

/**
 * Makes an error of what the Go side says of it; see Host in bindings.ts.
 *
 * @internal
 */
export function fromGo(kind: "argument" | "api" | "abort", json: string, cause: unknown): Error {
  const { message, reason, ...fields } = readError(json);
  switch (kind) {
    case "argument":
      return new TypeError(message);
    case "abort":
      return new DOMException(message, "AbortError");
    case "api":
      return new APIError(message, fields, { cause: cause ?? (reason && new Error(reason)) });
  }
}

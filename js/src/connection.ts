import { checkBlobs, checkSignal, joined, newKey, optionsOf, plain } from "./arguments.js";
import type { OperationName } from "./bindings.js";
import { checkCallbacks, checkFunction, dispatch, end, give } from "./callbacks.js";
import { carrier } from "./carry.js";
import type { Channel } from "./channel.js";
import { APIError, type Place, placeOf } from "./errors.js";
import { free, freeLater, type Handle, handles, letGo, settings } from "./lifetime.js";
import { load } from "./load.js";
import type { CallOptions, ChatSDKConfig, LogEntry, StreamCallbacks } from "./options.js";
import { type Rejections, closed, type Extras, isMissing, run } from "./method.js";
import { isA } from "./thrown.js";

/** The methods by which a page calls operations. */
type Methods = Readonly<Record<OperationName, unknown>>;

/** What a client shares with the functions that the core calls. */
interface Open {
  /** The functions that reject the calls in flight; undefined once it is closed. */
  calls: Rejections | undefined;
  /** The name of the token function's caller, in the stack of each call that the function makes. */
  readonly frame: string;
  /** How many calls of the token function have not ended. */
  asked: number;
  /** True while the token function runs until its first `await`. */
  asking: boolean;
}

/** How many clients were made. */
let clients = 0;

/** Rejections the token function, in a way that {@link isOfToken} recognises. */
async function askToken(open: Open, accessToken: () => string | Promise<string>): Promise<string> {
  const { [open.frame]: ask } = {
    async [open.frame]() {
      open.asking = true;
      try {
        const token = accessToken();
        open.asking = false;
        return await token;
      } finally {
        open.asking = false;
        open.asked -= 1;
      }
    },
  };
  open.asked += 1;
  return await (ask as () => Promise<string>)();
}

/**
 * Whether the token function makes a call of its own client, which waits for the token. After an `await` only V8's stacks show it;
 * in other engines such a call ends at its timeout.
 */
function isOfToken({ asking, asked, frame }: Open, { stack }: Place): boolean {
  return asking || (asked > 0 && stack?.includes(`${frame} `) === true);
}

/** How the calls of one {@link ChatSDK} reach the core: its client there, and the calls in flight. */
export class Connection {
  readonly config: ChatSDKConfig;
  readonly #methods: Methods;
  readonly #handle: Handle = {};
  /** What the core calls holds this, and not the Connection. */
  readonly #open: Open = { calls: new Set(), frame: `accessToken of ChatSDK ${++clients}`, asked: 0, asking: false };

  /** The stacks of errors begin where a method was called. */
  constructor(config: ChatSDKConfig, methods: Methods) {
    this.config = config;
    this.#methods = methods;
    handles?.register(this, this.#handle);
  }

  readonly #isClosed = (): boolean => !this.#open.calls;

  /** Rejects the calls in flight, frees the client, and frees the core if no other client uses it. */
  close(): void {
    const { calls } = this.#open;
    this.#open.calls = undefined;
    for (const reject of calls ?? []) {
      reject(abandoned());
    }
    const { core, id } = this.#handle;
    if (!calls || !core || id === undefined || core.dead) {
      return;
    }
    core.close(id);
    freeLater(core, () => {
      letGo(this.#handle);
      delete this.#handle.core;
    });
  }

  /** Runs the work of a method; see {@link run}. */
  run<T>(name: string, here: Place, options: object | undefined, work: () => Promise<T>): Promise<T> {
    return run(name, here, options, this.#open.calls, work);
  }

  /** Runs an operation with callbacks. Reports whether there may be an answer. */
  async stream(name: OperationName, args: object, options: (CallOptions & StreamCallbacks) | undefined): Promise<boolean> {
    const callbacks: typeof options = typeof options === "object" ? optionsOf(name, options) : options ?? {};
    const here = placeOf(this.#methods[name]);
    const { calls } = this.#open;
    try {
      if ((await this.call<boolean>(name, args, callbacks, { onEvents: (events) => dispatch(events, callbacks, this.#isClosed), here })) === false) {
        return false;
      }
    } catch (error) {
      if (!calls || isA(error, TypeError) || this.#isClosed()) {
        throw error; // nothing has begun, or nothing is called any more
      }
      if (!(isA(error, APIError) && callbacks.onError)) {
        end(callbacks);
        throw error;
      }
      give(callbacks.onError, error);
      this.#end(callbacks);
      return !isMissing(error);
    }
    this.#end(callbacks);
    return true;
  }

  /** Says that a stream is over, unless the client is closed. */
  #end(callbacks: StreamCallbacks): void {
    if (!this.#isClosed()) {
      end(callbacks);
    }
  }

  /** Runs an operation and reads its answer; undefined if there is none. */
  call<T = unknown>(
    name: OperationName, args: object, options?: object, { files, onEvents, here = placeOf(this.#methods[name]), as = name }: Extras = {},
  ): Promise<T> {
    return run(as, here, options, this.#open.calls, () => renaming(name, as, async () => {
      const progress = name === "uploadDocument" ? "onProgress" : "onUploadProgress";
      const { signal, logger, [progress]: told, ...rest } = joined(name, args, options);
      if (isOfToken(this.#open, here)) {
        const problem = "the accessToken function calls its own client, and would wait for itself; make another client for it";
        throw new APIError(`${name}: ${problem}`, { status: 0, code: "AUTHENTICATION" });
      }
      checkCallbacks(name, rest as StreamCallbacks);
      checkFunction(name, progress, told);
      checkFunction(name, "logger", logger);
      const sends = name.startsWith("sendMessage") || name === "editMessage";
      const blobs = sends ? rest.images : files;
      checkBlobs(name, blobs);
      // With a key, a send can go on in another worker.
      const key = (sends || name === "regenerateMessage") && { idempotencyKey: rest.idempotencyKey ?? newKey() };
      const parts: (Blob | string)[] = [...blobs ?? []];
      for (const field of sends ? ["message", "formatInstructions", "exampleJson"] : []) { // as ordered in the form; see inPage in bridge/fetch.go
        const text = rest[field];
        if (typeof text === "string" && /[^\s\x85]/.test(text)) { // the core needs no more of it than its size, and that it is not blank
          parts.push(text);
          rest[field] = "\0in the page";
        }
      }
      const json = plain(name, { ...rest, logger, ...(sends && { images: undefined }), ...key });
      const onProgress = told ? (sent: number, total: number) => this.#isClosed() || give(() => told(sent, total), undefined) : undefined;
      let core: Channel;
      do {
        core = await load(this.config, rest, this.#isClosed);
      } while (core.dead && !this.#isClosed()); // another client may have closed it since
      const client = this.#client(core, name);
      checkSignal(name, signal);
      const onLog = logger ? (entry: LogEntry) => this.#isClosed() || give(logger, entry) : undefined;
      const heard = onEvents && ((events: string) => this.#isClosed() || onEvents(events));
      const call = { operation: name, client, args: json, files: parts };
      return await core.call(call, { onEvents: heard, onProgress, onLog }, signal ?? undefined) as T;
    }));
  }

  /** This SDK's client in the running core, which may not be the same core as before. */
  #client(core: Channel, name: string): number {
    const handle = this.#handle;
    if (!this.#open.calls && (name !== "stop" || handle.core !== core)) {
      free(core);
      throw closed(name); // nobody gets this error: close has rejected the call
    }
    if (handle.core !== core || handle.id === undefined) {
      letGo(handle);
      if (handle.core?.dead === false) {
        freeLater(handle.core); // a worker has come late
      }
      const { accessToken, logger, tools, fetch } = this.config;
      const open = this.#open;
      /** A function of the page that is not called once the client is closed. */
      const untilClosed = <A extends readonly unknown[], T>(work: (...args: A) => T) => async (...args: A): Promise<Awaited<T>> => {
        if (!open.calls) {
          throw abandoned();
        }
        return await work(...args);
      };
      const id = core.open({
        accessToken: typeof accessToken === "function" ? untilClosed(() => askToken(open, accessToken)) : undefined,
        logger: logger ? (entry) => open.calls && give(logger, entry) : undefined,
        runTool: tools ? untilClosed(carrier(tools)) : undefined,
      }, settings(this.config), fetch ?? undefined); // not untilClosed: an answer that was left is stopped after close()
      core.clients += 1;
      Object.assign(handle, { core, id });
    }
    return handle.id ?? 0;
  }
}

function abandoned(): DOMException {
  return new DOMException("the ChatSDK was closed", "AbortError");
}

/** Runs an operation whose errors begin with the name of the method that was called. */
async function renaming<T>(name: string, as: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (as !== name && (isA(error, APIError) || isA(error, TypeError)) && error.message.startsWith(`${name}:`)) {
      error.message = as + error.message.slice(name.length);
    }
    throw error;
  }
}

import { until } from "./late.js";
import { promise } from "./native.js";

/** One attempt to get a thing, for all calls that wait for it. */
export interface Attempt {
  /** Aborts when no call waits for it any more, or another attempt was faster. What comes later is not used. */
  readonly signal: AbortSignal;
  /** Whether an attempt before has taken too long for a call. A browser's cache lets a request wait for an older one of the same address. */
  readonly again: boolean;
  /** How many of its files have come, which the attempt counts itself. */
  came: number;
  /** The thing is gone, perhaps before it was served: the next call begins another attempt, unless one has taken this one's place. */
  forget(): void;
}

interface Entry<T> extends Attempt {
  readonly result: Promise<T>;
  resolve(value: T): void;
  abort(): void;
  waiting: number;
  /** The thing is gone. */
  gone: boolean;
}

/** What a call gets that has waited too long. */
export class Overdue {
  constructor(readonly attempt: Attempt) {}
}

/**
 * A thing that calls share, and which each awaits as long as it may. What takes too long for one call is asked for again by the
 * next one, while others wait on. The first attempt that succeeds serves all who wait, so that there is never a second thing.
 */
export class Shared<T> {
  /** The thing, once it is there and until it is forgotten. */
  got: T | undefined;
  #newest: Entry<T> | undefined;
  readonly #pending = new Set<Entry<T>>();
  #again = false;

  /** Gets the thing, or begins to. Rejects with {@link Overdue} after `timeout` milliseconds; without one it sets no timer. */
  async get(timeout: number | undefined, begin: (attempt: Attempt) => Promise<T>): Promise<T> {
    if (this.got) {
      return this.got;
    }
    const entry = (this.#newest ??= this.#begin(begin));
    const overdue = new Overdue(entry);
    const ending = new AbortController();
    const timer = timeout === undefined ? undefined : setTimeout(() => ending.abort(overdue), timeout);
    entry.waiting += 1;
    try {
      return await until(ending.signal, entry.result);
    } catch (error) {
      if (error === overdue) {
        this.#again = true;
        this.#leave(entry);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      entry.waiting -= 1;
      if (entry.waiting === 0 && this.#pending.delete(entry)) {
        entry.abort();
      }
    }
  }

  #begin(begin: (attempt: Attempt) => Promise<T>): Entry<T> {
    const controller = new AbortController();
    let resolve!: (value: T) => void;
    let reject!: (reason: unknown) => void;
    const entry: Entry<T> = {
      result: promise<T>((...settle) => ([resolve, reject] = settle)),
      resolve,
      signal: controller.signal,
      abort: () => controller.abort(),
      again: this.#again,
      came: 0,
      waiting: 0,
      gone: false,
      forget: () => {
        entry.gone = true;
        this.#leave(entry);
      },
    };
    this.#pending.add(entry);
    begin(entry).then(
      (value) => this.#succeed(entry, value),
      (error: unknown) => {
        this.#leave(entry);
        if (this.#pending.delete(entry)) {
          reject(error);
        }
      },
    );
    return entry;
  }

  /** Lets the next call begin another attempt. */
  #leave(entry: Entry<T>): void {
    if (this.#newest === entry) {
      this.#newest = this.got = undefined;
    }
  }

  #succeed(entry: Entry<T>, value: T): void {
    if (!this.#pending.delete(entry)) {
      return; // its signal has told it
    }
    entry.resolve(value);
    if (entry.gone) {
      return; // before it was there for anybody
    }
    this.#again = false;
    this.#newest = entry;
    this.got = value;
    for (const other of this.#pending) {
      other.resolve(value);
      other.abort();
    }
    this.#pending.clear();
  }
}

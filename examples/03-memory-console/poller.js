/** Milliseconds between two looks. */
const interval = 2000;

/** The longest pause while looks fail. */
const longest = 30_000;

/** A look that takes longer has failed. */
const patience = 10_000;

/** Looks may take at most this part of the time, so that long lists don't keep the service busy. */
const share = 1 / 5;

/**
 * Looks for changes again and again while the page is visible. It looks at once when the page becomes
 * visible or comes online, and less often while looks fail.
 */
export class Poller {
  #ask;
  #tell;
  #timer = 0;
  /** Counts the looks, so that the result of an earlier one is dropped. */
  #turn = 0;
  #failures = 0;

  /**
   * @param {() => Promise<() => void>} ask loads the data, and returns a function that shows it.
   * @param {(error: any, pause: number) => void} tell is called for each failure, with the milliseconds until the next look,
   * and without an error when the failures end.
   */
  constructor(ask, tell) {
    this.#ask = ask;
    this.#tell = tell;
    document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(this.#timer) : this.now()));
    addEventListener("online", () => this.now());
  }

  /** Looks at once. The result of an earlier look is dropped. */
  async now() {
    clearTimeout(this.#timer);
    const turn = ++this.#turn;
    const start = performance.now();
    const [show, error] = await inTime(this.#ask()).then((show) => [show], (error) => [undefined, error]);
    if (turn !== this.#turn) {
      return;
    }
    if (show === undefined) {
      const pause = Math.min(interval * 2 ** this.#failures++, longest);
      this.#wait(pause);
      this.#tell(error, pause);
      return;
    }
    this.#wait(Math.max(interval, (performance.now() - start) / share));
    if (this.#failures > 0) {
      this.#failures = 0;
      this.#tell(undefined, 0);
    }
    show();
  }

  /** @param {number} pause */
  #wait(pause) {
    if (!document.hidden) {
      this.#timer = setTimeout(() => this.now(), pause);
    }
  }
}

/** @template T @param {Promise<T>} work @returns {Promise<T>} */
function inTime(work) {
  /** @type {number} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error(`no answer within ${patience} ms`), { status: 0, code: "TIMEOUT" })), patience);
  });
  return Promise.race([work, /** @type {Promise<never>} */ (late)]).finally(() => clearTimeout(timer));
}

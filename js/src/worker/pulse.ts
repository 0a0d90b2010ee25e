/**
 * A worker that says nothing is asked whether it is there, with this many milliseconds between two looks. After this
 * many looks without an answer it is dead. A worker may be busy for 10 s. A page that was frozen did not look.
 */
const pulse = 2000;
const looks = 10;

/** Looks after a worker while there is work. */
export class Pulse {
  readonly #ask: () => void;
  readonly #isBusy: () => boolean;
  readonly #die: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the worker has said something since the last look. */
  heard = false;

  /** `ask` asks the worker for an answer; `die` is called when it has not come. */
  constructor(ask: () => void, isBusy: () => boolean, die: () => void) {
    this.#ask = ask;
    this.#isBusy = isBusy;
    this.#die = die;
  }

  /** Looks on until there is no work, or the worker is dead. */
  watch(): void {
    if (this.#timer === undefined) {
      this.heard = true;
      this.#look(0);
    }
  }

  #look(silent: number): void {
    const quiet = this.heard ? 0 : silent + 1;
    this.heard = false;
    this.#timer = undefined;
    if (quiet > looks) {
      this.#die();
    } else if (this.#isBusy()) {
      this.#ask();
      this.#timer = setTimeout(() => this.#look(quiet), pulse);
    }
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Milliseconds between two updates of a hidden page: browsers give it no frames, and only one timer a second. */
const hiddenPause = 1000;

/**
 * Runs a function once before the next frame, however often it is requested.
 *
 * @internal
 */
export class Frame {
  readonly #run: () => void;
  #frame: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(run: () => void) {
    this.#run = () => {
      this.cancel();
      run();
    };
  }

  /** Requests a run. If the page was hidden since the last request, it does not wait for that request's frame. */
  request(): void {
    if (globalThis.document?.hidden === false) {
      this.#frame ??= requestAnimationFrame(this.#run);
    } else {
      this.#timer ??= setTimeout(this.#run, hiddenPause);
    }
  }

  cancel(): void {
    if (this.#frame !== undefined) {
      cancelAnimationFrame(this.#frame);
    }
    clearTimeout(this.#timer);
    this.#frame = this.#timer = undefined;
  }
}

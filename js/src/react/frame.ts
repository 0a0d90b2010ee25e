/** Milliseconds between two looks of a page that is hidden: browsers give it no frames, and one timer a second. */
const hiddenPause = 1000;

/**
 * Runs something once before the next frame, however often it is asked to.
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

  /** Asks for a run. A page that was hidden meanwhile does not wait for a frame that was asked for before. */
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

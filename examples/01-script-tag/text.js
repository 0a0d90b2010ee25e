/**
 * Text that grows. What comes between two frames of the screen shows at once,
 * so that a fast answer doesn't keep the page busy. It goes in as text, never
 * as HTML.
 */
export class GrowingText {
  /** All that came, shown or not. */
  value = "";
  #node = document.createTextNode("");
  #frame = 0;

  /** @param {Element} element @param {() => void} onShow is called when more shows. */
  constructor(element, onShow) {
    element.append(this.#node);
    this.onShow = onShow;
  }

  /** Adds text, which shows with the next frame. @param {string} text */
  append(text) {
    this.value += text;
    this.#frame ||= requestAnimationFrame(() => this.set(this.value));
  }

  /** Shows the whole text now. @param {string} text */
  set(text) {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.value = text;
    if (this.#node.data !== text) {
      this.#node.data = text;
      this.onShow();
    }
  }
}

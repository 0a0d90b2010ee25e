/** A block with more characters than this ends at the next line: browsers lay out a block as a whole. */
const blockSize = 4000;

/**
 * Text that grows. All text that arrives between two frames is shown at once, so
 * that a fast answer doesn't keep the page busy. It is added as text, never
 * as HTML.
 */
export class GrowingText {
  /** All text so far, shown or not. */
  value = "";
  #pending = "";
  #frame = 0;
  /** @type {Element | undefined} */
  #block;
  #size = 0;

  /** @param {Element} element @param {() => void} onShow is called when more is shown. */
  constructor(element, onShow) {
    this.element = element;
    this.onShow = onShow;
  }

  /** Adds text, which is shown in the next frame. @param {string} text */
  append(text) {
    this.value += text;
    this.#pending += text;
    this.#frame ||= requestAnimationFrame(() => this.#show());
  }

  /** Shows the whole text now. @param {string} text */
  set(text) {
    if (text.startsWith(this.value)) {
      this.#pending += text.slice(this.value.length);
    } else {
      this.element.replaceChildren();
      this.#endBlock();
      this.#pending = text;
    }
    this.value = text;
    this.#show();
  }

  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    for (let text = this.#pending; text !== ""; ) {
      const end = text.indexOf("\n", Math.max(0, blockSize - this.#size)) + 1 || text.length;
      this.#put(text.slice(0, end));
      text = text.slice(end);
    }
    this.#pending = "";
    this.onShow();
  }

  /** @param {string} text */
  #put(text) {
    if (this.#block === undefined) {
      this.#block = document.createElement("div");
      this.element.append(this.#block);
    }
    this.#block.append(text);
    this.#size += text.length;
    if (this.#size >= blockSize && text.endsWith("\n")) {
      this.#endBlock();
    }
  }

  #endBlock() {
    this.#block = undefined;
    this.#size = 0;
  }
}

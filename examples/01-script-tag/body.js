import { CallCard } from "./call.js";

/**
 * @typedef {import("../../dist/chatsdk.d.ts").ToolCall} ToolCall
 * @typedef {import("./text.js").GrowingText | import("./markdown.js").MarkdownText} Text
 */

/** The content of a message: its text, and in an answer the calls between the parts of the text. */
export class Body {
  /** All text so far, shown or not. */
  value = "";
  #element;
  #page;
  #newText;
  /** Between two texts there is a call. @type {Text[]} */
  #texts = [];
  /** @type {CallCard[]} */
  #cards = [];

  /**
   * @param {any} element has the first text. @param {import("./page.js").Page} page
   * @param {new (element: any, onShow: () => void) => Text} Text shows it
   */
  constructor(element, page, Text) {
    this.#element = element;
    this.#page = page;
    this.#newText = (/** @type {Element} */ place) => new Text(place, page.grew);
    this.#texts.push(this.#newText(element.firstElementChild));
  }

  /** The calls, in their current state. */
  get calls() {
    return this.#cards.map(({ call }) => call);
  }

  /** @param {string} text */
  append(text) {
    this.value += text;
    const last = this.#texts.at(-1);
    // The service separates two texts by an empty line.
    last?.append(last.value === "" && this.#cards.length > 0 ? text.replace(/^\n+/, "") : text);
  }

  /** Shows a new call at the end of the text, or the new state of a known call. @param {ToolCall} call */
  call(call) {
    const known = this.#cards.find(({ element }) => element.dataset.call === call.id);
    if (known !== undefined) {
      known.show(call);
      return;
    }
    const card = new CallCard(this.#page, call);
    this.#cards.push(card);
    const text = /** @type {Element} */ (this.#texts[0]?.element.cloneNode());
    this.#element.append(card.element, text);
    this.#texts.push(this.#newText(text));
    this.#page.grew();
  }

  /** Shows the whole content. @param {string} text @param {readonly ToolCall[]} [calls] */
  set(text, calls = []) {
    this.value = text;
    if (calls.length < this.#cards.length || this.#cards.some(({ call: { id } }, i) => id !== calls[i]?.id)) {
      this.#clear();
    }
    calls.forEach((call) => this.call(call));
    const ends = [...calls.map(({ at }) => at), text.length];
    ends.forEach((end, i) => {
      const piece = text.slice(i === 0 ? 0 : ends[i - 1], end);
      this.#texts[i]?.set(i === 0 ? piece : piece.replace(/^\n+/, ""));
    });
  }

  #clear() {
    for (const { element } of [...this.#cards.splice(0), ...this.#texts.splice(1)]) {
      element.remove();
    }
  }
}

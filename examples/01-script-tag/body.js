import { CallCard } from "./call.js";
import { GrowingText } from "./text.js";

/** @typedef {import("../../dist/chatsdk.d.ts").ToolCall} ToolCall */

/** What a message says: its text, and in an answer the calls between its parts. */
export class Body {
  /** All of the text that came, shown or not. */
  value = "";
  #element;
  #page;
  /** Between two texts stands a call. @type {GrowingText[]} */
  #texts = [];
  /** @type {CallCard[]} */
  #cards = [];

  /** @param {Element} element has the first text. @param {import("./page.js").Page} page */
  constructor(element, page) {
    this.#element = element;
    this.#page = page;
    this.#texts.push(new GrowingText(element.firstElementChild ?? element, page.grew));
  }

  /** The calls, as they are. */
  get calls() {
    return this.#cards.map(({ call }) => call);
  }

  /** @param {string} text */
  append(text) {
    this.value += text;
    const last = this.#texts.at(-1);
    // The service sets two texts apart by an empty line.
    last?.append(last.value === "" && this.#cards.length > 0 ? text.replace(/^\n+/, "") : text);
  }

  /** Shows a call where the text ends, or as it is now. @param {ToolCall} call */
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
    this.#texts.push(new GrowingText(text, this.#page.grew));
    this.#page.grew();
  }

  /** Shows the whole. @param {string} text @param {readonly ToolCall[]} [calls] */
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

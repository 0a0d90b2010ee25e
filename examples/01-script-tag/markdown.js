import { blocks, isBlock, linesOf, parser } from "./blocks.js";
import { announce } from "./page.js";

/** @typedef {import("./blocks.js").Token} Token */

/** How long a button shows that something was copied, in milliseconds. */
const copiedFor = 2000;


/**
 * Markdown that grows. All text that arrives between two frames is shown at once, and finished blocks
 * no longer change. It is shown as elements that are made one by one, never as HTML.
 */
export class MarkdownText {
  /** All text so far, shown or not. */
  value = "";
  #frame = 0;
  /** When to show text next, on the page's clock: a long text must not keep the page busy. */
  #due = 0;
  /** Where the blocks begin that more text may change, and how many blocks are before them. */
  #start = 0;
  #finished = 0;
  /** The addresses that are defined before #start, by label. */
  #references = {};
  /** The addresses that the shown blocks use. */
  #shown = "";

  /** @param {HTMLElement} element @param {() => void} onShow is called when more is shown. */
  constructor(element, onShow) {
    this.element = element;
    this.onShow = onShow;
    element.addEventListener("click", copy);
  }

  /** Adds text, which is shown in the next frame. @param {string} text */
  append(text) {
    this.value += text;
    this.#frame ||= this.#await();
  }

  /** Shows the whole text now. @param {string} text */
  set(text) {
    if (!text.startsWith(this.value)) {
      this.#restart();
    }
    this.value = text;
    this.#show();
  }

  #await() {
    return requestAnimationFrame((now) => (now < this.#due ? (this.#frame = this.#await()) : this.#show()));
  }

  #show() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    const begun = performance.now();
    let parsed = this.#parse();
    if (this.#start > 0 && parsed.references !== this.#shown) {
      this.#restart(); // a definition also applies to the text before it
      parsed = this.#parse();
    }
    this.#shown = parsed.references;
    reconcile(this.element, blocks(parsed.tokens, this.value.slice(this.#start)), this.#finished);
    this.#finish(parsed.tokens);
    this.onShow();
    const now = performance.now();
    this.#due = now + 3 * (now - begun);
  }

  #restart() {
    [this.#start, this.#finished, this.#references] = [0, 0, {}];
  }

  #parse() {
    const known = { references: { ...this.#references } };
    return { tokens: parser.parse(this.value.slice(this.#start), known), references: JSON.stringify(known.references) };
  }

  /**
   * Marks all blocks but the last as finished, if the last one begins with a whole line after an empty
   * line: more text can then change no other block. @param {Token[]} tokens
   */
  #finish(tokens) {
    const begun = tokens.filter(isBlock);
    const line = begun.at(-1)?.map?.[0] ?? 0;
    const text = this.value.slice(this.#start);
    const lines = linesOf(text);
    const before = lines.slice(0, line).join("");
    if (line > 0 && /^[ \t]*[\r\n]+$/.test(lines[line - 1] ?? "") && /[\r\n]$/.test(lines[line] ?? "")) {
      parser.parse(before, { references: this.#references });
      this.#start += before.length;
      this.#finished += begun.length - 1;
    }
  }
}

/** Replaces the children of a node, from index `first` on, with those of another node. Equal children stay. @param {Node} shown @param {Node} wanted */
function reconcile(shown, wanted, first = 0) {
  const children = [...wanted.childNodes];
  while (shown.childNodes.length > first + children.length) {
    shown.lastChild?.remove();
  }
  const there = [...shown.childNodes].slice(first);
  children.forEach((child, i) => {
    const old = there[i];
    if (old === undefined) {
      shown.appendChild(child);
    } else if (!old.isEqualNode(child)) {
      update(old, child);
    }
  });
}

/** @param {any} old @param {any} wanted */
function update(old, wanted) {
  if (old.nodeType === Node.TEXT_NODE && wanted.nodeType === Node.TEXT_NODE && wanted.data.startsWith(old.data)) {
    old.appendData(wanted.data.slice(old.length)); // so that a selection stays
  } else if (old.nodeType === Node.ELEMENT_NODE && old.cloneNode().isEqualNode(wanted.cloneNode())) {
    reconcile(old, wanted);
  } else {
    old.replaceWith(wanted);
  }
}

/** Copies the code next to a button, and shows on the button whether that worked. @param {any} event */
async function copy({ target }) {
  const button = target.closest("[data-action=copy]");
  if (button === null) {
    return;
  }
  try {
    await navigator.clipboard.writeText(button.parentElement.querySelector("code").textContent);
    button.ariaLabel = "Copied";
  } catch {
    button.ariaLabel = "Not copied"; // the browser does not allow it
  }
  announce(button.ariaLabel);
  setTimeout(() => (button.ariaLabel = "Copy code"), copiedFor);
}

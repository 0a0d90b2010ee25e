import { tell } from "./errors.js";
import { byId, part } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Source} Source */

/** A block with more characters than this ends at the next line: browsers lay out a block as a whole. */
const blockSize = 4000;

/** How many sources are shown at first, so that the answer stays visible. */
const shownAtOnce = 3;

/** Fills the list of sources under an answer. @param {any} element @param {Source[]} sources @param {Passage} passage */
export function showSources(element, sources, passage) {
  element.hidden = sources.length === 0;
  part(element, "source-list").replaceChildren(...sources.map((source) => {
    const item = document.createElement("li");
    item.append(source.document_key ? opener(source, passage) : link(source));
    return item;
  }));
  const more = element.querySelector("[data-action=more-sources]");
  more.hidden = sources.length <= shownAtOnce;
  more.textContent = `${sources.length - shownAtOnce} more`;
  more.onclick = () => {
    expand(element, more.ariaExpanded !== "true");
    if (more.ariaExpanded === "true") {
      part(element, "source-list").children[shownAtOnce].firstElementChild.focus(); // the new items are before the button
    }
  };
  expand(element, more.ariaExpanded === "true");
}

/** Shows all sources, or the first ones. @param {Element} element @param {boolean} isExpanded */
function expand(element, isExpanded) {
  const more = /** @type {HTMLButtonElement} */ (element.querySelector("[data-action=more-sources]"));
  more.ariaExpanded = String(isExpanded);
  [...part(element, "source-list").children].slice(shownAtOnce).forEach((item) => (item.hidden = !isExpanded));
}

/** @param {Source} source @param {Passage} passage */
function opener(source, passage) {
  const button = document.createElement("button");
  [button.type, button.dataset["action"], button.ariaHasPopup] = ["button", "source", "dialog"];
  button.addEventListener("click", () => passage.open(source));
  return describe(button, source);
}

/** A link to a source on the web, if its address is http or https. @param {Source} source */
function link(source) {
  const element = document.createElement("a");
  if (/^https?:\/\//i.test(source.url ?? "")) {
    [element.href, element.target, element.rel] = [source.url ?? "", "_blank", "noopener noreferrer"];
  }
  return describe(element, source);
}

/** @param {HTMLElement} element @param {Source} source */
function describe(element, { title, snippet }) {
  const [name, text] = [document.createElement("strong"), document.createElement("span")];
  [name.textContent, text.textContent] = [title, snippet];
  name.dir = text.dir = "auto";
  element.append(name, " ", text);
  return element;
}

/** The dialog that shows a document, at the passage that an answer used. */
export class Passage {
  #page;
  #dialog = byId("passage");
  #text = byId("passage-text");
  /** Counts what is opened, so that a document that arrives too late is noticed. */
  #turn = 0;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    byId("passage-close").addEventListener("click", () => this.#dialog.close());
  }

  /** @param {Source} source */
  async open({ document_key: key, title, start, end }) {
    const turn = ++this.#turn;
    const status = byId("passage-status");
    byId("passage-title").textContent = title;
    this.#text.replaceChildren();
    status.textContent = "Loading …";
    this.#dialog.showModal();
    try {
      const { text } = await this.#page.sdk.getDocument(key);
      if (turn === this.#turn) {
        status.textContent = "";
        this.#text.replaceChildren(...blocks(text, start, end));
        this.#text.focus({ preventScroll: true });
        this.#text.querySelector("mark")?.scrollIntoView({ block: "center" });
      }
    } catch (/** @type {any} */ error) {
      if (turn === this.#turn) {
        status.textContent = error.status === 404 ? "This document has been deleted." : tell(error, "It could not be loaded.");
      }
    }
  }
}

/** The elements of a text, with a mark from start to end. @param {string} text @param {number} start @param {number} end */
function* blocks(text, start, end) {
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at + blockSize) + 1 || text.length;
    const [from, to] = [start, end].map((offset) => Math.min(Math.max(offset, at), next));
    const block = document.createElement("div");
    block.append(text.slice(at, from));
    if (from < to) {
      const mark = document.createElement("mark");
      mark.append(text.slice(from, to));
      block.append(mark);
    }
    block.append(text.slice(to, next));
    yield block;
    at = next;
  }
}

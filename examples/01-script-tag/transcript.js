import { failure } from "./errors.js";
import { MessageView } from "./message.js";
import { copyOf, part } from "./page.js";
import { suggestion } from "./tools.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Message} Message */

/** The messages of a chat as they are shown, and the last failure among them. */
export class Transcript {
  element = document.createElement("div");
  /** The messages that the service has, by id, from all branches that were shown. @type {Map<string, MessageView>} */
  messages = new Map();
  #page;
  /** @type {Element | undefined} */
  #failure;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.element.className = "view";
    this.show([]);
  }

  /** There are no messages yet. */
  get isEmpty() {
    return this.element.querySelector(".empty") !== null;
  }

  get hasFailure() {
    return this.#failure !== undefined;
  }

  /** The user is editing something that would be lost if the messages were shown again. */
  get isEdited() {
    return this.element.querySelector(".editor, .arguments :is(textarea, input)") !== null;
  }

  /** An answer that is shown is not complete. */
  get isOpen() {
    return [...this.messages.values()].some((view) => view.isOpen && view.element.isConnected);
  }

  /** The id of the last message whose id is known. */
  get lastId() {
    const last = /** @type {HTMLElement | undefined} */ ([...this.element.querySelectorAll("[data-message]")].at(-1));
    return last?.dataset["message"];
  }

  /** Shows these messages, and keeps the elements of those that are already shown. @param {Message[]} messages */
  show(messages) {
    this.forgetFailure();
    const shown = messages.map((message) => this.#message(message).element);
    shown.push(...this.element.querySelectorAll("[data-unsent]")); // only this page has them
    if (shown.length === 0) {
      const empty = copyOf("empty");
      part(empty, "tool").textContent = suggestion();
      shown.push(empty);
    }
    if (shown.length !== this.element.childElementCount || shown.some((element, i) => element !== this.element.children[i])) {
      this.element.replaceChildren(...shown);
    }
    this.#page.grew();
  }

  /** @param {Message} message */
  #message(message) {
    const view = this.messages.get(message.id) ?? new MessageView(message.role, this.#page);
    this.messages.set(message.id, view);
    view.show(message);
    return view;
  }

  /** Shows a failure after the messages. @param {any} error @param {import("./errors.js").Way[]} ways */
  fail(error, ways) {
    this.forgetFailure();
    this.element.append((this.#failure = failure(error, ways)));
    this.#page.grew();
  }

  forgetFailure() {
    this.#failure?.remove();
    this.#failure = undefined;
  }
}

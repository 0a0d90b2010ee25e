import { MessageView } from "./message.js";
import { takeOut } from "./showing.js";

/** A question that is being sent: where it is shown, and its options. */
export class Question {
  /** Its options: its place in the chat, and a key, so that it is stored only once. */
  options;
  /** The elements that it has replaced. @type {Element[]} */
  #instead = [];

  /**
   * @param {import("./page.js").Page} page @param {string} text
   * @param {File[]} images @param {MessageView} [old] the question of which it is another version, and whose images it keeps
   */
  constructor(page, text, images, old) {
    this.view = new MessageView("user", page);
    this.view.append(text);
    this.view.showImages(old?.addresses ?? images);
    this.images = images;
    this.old = old;
    this.options = { idempotencyKey: crypto.randomUUID(), edits: old?.id };
  }

  get text() {
    return this.view.text;
  }

  /** Shows the question in place of the old one and everything after it, or at the end. @param {Element} messages */
  put(messages) {
    if (this.old === undefined) {
      // It follows the answer that the user sees, even if the chat's path leads elsewhere by now.
      const answers = /** @type {NodeListOf<HTMLElement>} */ (messages.querySelectorAll("[data-role=assistant][data-message]"));
      const parentId = [...answers].at(-1)?.dataset["message"];
      this.options = { ...this.options, ...(parentId && { parentId }) };
      messages.append(this.view.element);
    } else {
      const { element } = this.view;
      this.old.element.before(element);
      this.#instead = takeOut(this.old.element);
      while (element.nextElementSibling !== null) { // a message that was not sent: the answer comes behind the question
        element.before(element.nextElementSibling);
      }
    }
  }

  /** Shows it behind what was sent since, unless it still stands in place of the old question. @param {Element} messages */
  putAgain(messages) {
    if (this.old?.element.isConnected !== false) {
      this.view.element.remove();
      this.put(messages);
    }
  }

  /** Shows what was there before. */
  takeBack() {
    this.view.element.replaceWith(...this.#instead);
  }

  /**
   * The images, and the progress of their upload.
   * @param {(what: string) => void} tell
   */
  upload(tell) {
    const onUploadProgress = (/** @type {number} */ sent, /** @type {number} */ total) =>
      tell(sent < total ? `Sending … ${Math.floor((100 * sent) / total)} %` : "");
    return this.images.length > 0 ? { images: this.images, onUploadProgress } : {};
  }
}

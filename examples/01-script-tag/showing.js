import { MessageView } from "./message.js";

/** @typedef {import("../../dist/chatsdk.d.ts").StreamEvent} StreamEvent */

/** Where an answer is shown while it is written. */
export class Showing {
  #chat;
  /** The new answer. */
  #view;
  /** What is shown now: the old answer until the new one arrives, then the new one. */
  #shown;
  /** How much of the text is already shown, in UTF-16 units. */
  #known;
  /** The same of what the model thought. */
  #knownThought;
  #question;
  #old;
  /** Tells other tabs that the answer is being written. */
  #tell;
  /** The elements that followed the old answer until the new one arrived. @type {Element[]} */
  #rest = [];

  /**
   * @param {import("./view.js").ChatView} chat
   * @param {{view?: MessageView, old?: MessageView, question?: import("./question.js").Question, isElsewhere?: boolean}} place `view` has some of the
   * text, `old` is shown until the answer arrives, `question` was sent just now, `isElsewhere` means that another page began the answer. Then other
   * tabs are not told: two pages would make each other read again for ever
   */
  constructor(chat, { view, old, question, isElsewhere = false }) {
    this.#chat = chat;
    this.#view = view ?? new MessageView("assistant", chat.page);
    this.#shown = old ?? this.#view;
    this.#known = this.#view.text.length;
    this.#knownThought = this.#view.thought;
    this.#question = question;
    this.#old = old;
    this.#tell = () => isElsewhere || chat.page.begun(chat.id);
    old?.lookUp("Writing it again …");
    question?.view.element.after(this.#view.element);
  }

  /** The answer waits for a decision. */
  get isParked() {
    return this.#shown.isParked;
  }

  /** The id of the answer. */
  get id() {
    return this.#view.id;
  }

  /** Shows an event. @param {StreamEvent} event */
  take(event) {
    switch (event.type) {
      case "start":
        this.#identify(event.message_id, this.#view, this.#old);
        this.#identify(event.user_message_id, this.#question?.view, this.#question?.old);
        this.#tell();
        break;
      case "chunk":
        this.#begin();
        this.#view.append(event.text.slice(this.#known));
        this.#known = Math.max(0, this.#known - event.text.length);
        this.#chat.reckon();
        break;
      case "reasoning":
        this.#begin();
        this.#view.think(event.text.slice(this.#knownThought));
        this.#knownThought = Math.max(0, this.#knownThought - event.text.length);
        break;
      case "tool_call":
        this.#begin();
        this.#view.call(event.call);
        this.#chat.reckon();
        break;
      case "document_chunk":
        this.lookUp(event.text);
        break;
      case "message_object":
        if (event.object["image_urls"]) {
          this.#begin();
        }
        this.#view.showSources(event.object["sources"]);
        this.#view.addImages(event.object["image_urls"]);
        break;
      case "chat_name":
        this.#chat.page.named(this.#chat.id, event.name);
        break;
      case "complete":
        if (this.#old !== undefined && event.message.content === "" && event.message.finish_reason === "stopped" && !event.message.tool_calls) {
          this.undo(); // the service's path leads to the old answer again
          this.#chat.page.answered(event.message);
          break;
        }
        this.#begin();
        this.#identify(event.message.id, this.#view);
        this.#view.show(event.message);
        this.#chat.page.answered(event.message);
    }
  }

  /** Shows what the agent is doing. @param {string} what */
  lookUp(what) {
    this.#shown.lookUp(what);
  }

  /** Keeps the text so far, and marks the answer as interrupted. */
  breakOff() {
    this.#view.breakOff();
  }

  /** Shows what was there before. */
  undo() {
    if (this.#old === undefined) {
      this.#view.element.remove();
    } else {
      this.#showInstead(this.#old);
      this.#old.element.after(...this.#rest.splice(0));
      this.#old.lookUp("");
    }
  }

  #begin() {
    if (this.#shown !== this.#view) {
      this.#rest = takeOut(this.#shown.element.nextElementSibling);
      this.#showInstead(this.#view);
      this.#tell();
    }
  }

  /** @param {MessageView} view */
  #showInstead(view) {
    this.#shown.element.replaceWith(view.element);
    this.#shown = view;
  }

  /** @param {string | undefined} id @param {MessageView | undefined} view @param {MessageView} [elder] */
  #identify(id, view, elder) {
    if (id !== undefined && view !== undefined) {
      view.identify(id, elder);
      this.#chat.messages.set(id, view);
    }
  }
}

/**
 * Removes an element and all elements after it from the document, but the messages that were not sent: only this page has them.
 * @param {Element | null} element @returns {Element[]}
 */
export function takeOut(element) {
  const taken = [];
  for (let next; element !== null; element = next) {
    next = element.nextElementSibling;
    if (!element.matches("[data-unsent]")) {
      element.remove();
      taken.push(element);
    }
  }
  return taken;
}

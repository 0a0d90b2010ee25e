import { explain } from "./errors.js";
import { count, part, write } from "./page.js";

/** How many answers are shown at a time. */
const size = 20;

/** The answers that had a memory in their prompt. The list is loaded when somebody opens it. */
export class AnswerList {
  #page;
  #element;
  #memory;
  #cursor = "";
  #shown = 0;
  /** Counts the openings: the result for an earlier one arrives too late. */
  #turn = 0;

  /** @param {import("./page.js").Page} page @param {any} element a details element @param {() => string} memory returns the memory's id. */
  constructor(page, element, memory) {
    this.#page = page;
    this.#element = element;
    this.#memory = memory;
    element.addEventListener("toggle", () => element.open && void this.#begin());
    element.querySelector("[data-action=more-answers]").addEventListener("click", () => void this.#more());
  }

  async #begin() {
    [this.#cursor, this.#shown, this.#turn] = ["", 0, this.#turn + 1];
    this.#element.querySelector("ul").replaceChildren();
    await this.#more();
  }

  async #more() {
    const turn = this.#turn;
    const button = this.#element.querySelector("[data-action=more-answers]");
    button.disabled = true;
    try {
      const page = this.#cursor === "" ? { limit: size } : { limit: size, cursor: this.#cursor };
      const { answers, next_cursor: next } = await this.#page.sdk.answersOfMemory(this.#memory(), page);
      if (turn !== this.#turn) {
        return;
      }
      this.#cursor = next ?? "";
      this.#shown += answers.length;
      this.#element.querySelector("ul").append(...answers.map(item));
      write(part(this.#element, "told"), this.#told());
    } catch (/** @type {any} */ error) {
      const { text, details } = explain(error);
      write(part(this.#element, "told"), `${text} (${details})`);
      if (error.status === 401) {
        this.#page.refused(error);
      }
    }
    button.disabled = false;
    button.hidden = this.#cursor === "";
  }

  #told() {
    if (this.#shown === 0) {
      return "No answer had it in its prompt, or the chats have been deleted.";
    }
    const many = count(this.#shown, "answer", "answers");
    return this.#cursor === "" ? `It was in the prompt of ${many}:` : `It was in the prompt of more than ${many}. The newest:`;
  }
}

/** @param {{chat_id: string, message_id: string}} answer */
function item({ chat_id: chat, message_id: message }) {
  const element = document.createElement("li");
  const [inChat, ofMessage] = [document.createElement("code"), document.createElement("code")];
  [inChat.textContent, ofMessage.textContent] = [chat, message];
  element.append("message ", ofMessage, " in chat ", inChat);
  return element;
}

import { AnswerList } from "./answers.js";
import { byWhom, decidedAt, describe, statusOf, tick, whyItWaits, writeTime } from "./memory.js";
import { copyOf, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** A memory of any status. */
export class MemoryRow {
  element = copyOf("memory");
  /** @type {Memory | undefined} */
  memory;
  #shown = "";

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    new AnswerList(page, part(this.element, "answers"), () => this.memory?.id ?? "");
  }

  /** @param {Memory} memory */
  show(memory) {
    const text = JSON.stringify(memory);
    if (text === this.#shown) {
      return;
    }
    [this.#shown, this.memory] = [text, memory];
    const { element } = this;
    element.dataset.memory = memory.id;
    describe(element, memory);
    write(part(element, "waits"), whyItWaits(memory));
    write(part(element, "status"), statusOf(memory));
    part(element, "status").dataset.status = memory.status;
    write(part(element, "by"), byWhom(memory));
    writeTime(part(element, "date"), decidedAt(memory) ?? memory.created_at);
    this.#button("delete").ariaLabel = `Delete “${memory.memory_content}”`;
    this.#button("change").ariaLabel = `Edit “${memory.memory_content}”`;
    this.#button("change").hidden = memory.status === "rejected";
    this.#button("source").hidden = memory.source_message_id === undefined;
    this.#button("restore").hidden = memory.superseded_by === undefined || memory.status !== "rejected";
    this.#button("restore").ariaLabel = `Approve again “${memory.memory_content}”`;
    part(element, "answers").hidden = memory.approved_at === undefined;
  }

  tick() {
    if (this.memory !== undefined) {
      tick(this.element, this.memory);
    }
  }

  /** @param {string} action @returns {any} */
  #button(action) {
    return this.element.querySelector(`[data-action=${action}]`);
  }
}

import { describe, statusOf, tick } from "./memory.js";
import { copyOf, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** How a decision is told. @type {Record<string, string>} */
const outcomes = { approve: "Approved", reject: "Rejected" };

/**
 * A pending memory with the words that caused it. Once it is decided, here or
 * elsewhere, it says so and stays where it is, until nobody's hand is near.
 */
export class Card {
  element = copyOf("card");
  /** It can be decided while it is open. @type {"open" | "busy" | "settled"} */
  state = "open";

  #page;
  #shown = "";

  /** @param {import("./page.js").Page} page @param {Memory} memory */
  constructor(page, memory) {
    this.#page = page;
    this.memory = memory;
    this.element.dataset.memory = memory.id;
    this.#become("open");
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  /** @param {Memory & {conflicts?: string[]}} memory conflicts are what it contradicts, in words. */
  show(memory) {
    const text = JSON.stringify(memory);
    if (text !== this.#shown && this.state !== "settled") {
      this.#shown = text;
      this.memory = memory;
      describe(this.element, memory);
      write(part(this.element, "user"), memory.user_id);
      this.#contradict(memory.conflicts ?? []);
    }
  }

  /** @param {string[]} conflicts */
  #contradict(conflicts) {
    const element = part(this.element, "conflicts");
    element.hidden = conflicts.length === 0;
    element.querySelector("ul").replaceChildren(...conflicts.map((text) => {
      const item = document.createElement("li");
      [item.dir, item.textContent] = ["auto", text];
      return item;
    }));
  }

  tick() {
    if (this.state !== "settled") {
      tick(this.element, this.memory);
    }
  }

  /**
   * Approves or rejects, and says how it went.
   * @param {"approve" | "reject"} action
   * @returns {Promise<"decided" | "overtaken" | "failed">} Somebody else has decided what is overtaken.
   */
  async decide(action) {
    const { sdk } = this.#page;
    const { id, memory_content: content } = this.memory;
    this.element.focus({ preventScroll: true }); // a button that is disabled would lose it
    this.#become("busy");
    try {
      const { superseded } = await (action === "approve" ? sdk.approveMemory(id) : sdk.rejectMemory(id));
      const replaced = superseded.length === 0 ? "" : superseded.length === 1 ? " It replaces another memory." : ` It replaces ${superseded.length} others.`;
      this.#settle(`${outcomes[action]}.${replaced}`);
      this.#page.done(`${outcomes[action]}: ${content}.${replaced}`);
    } catch (/** @type {any} */ error) {
      if (error.status === 409 || error.status === 404) {
        await this.overtake();
        return "overtaken";
      }
      this.#become("open");
      this.#page.failed(error, `“${content}” was not ${outcomes[action]?.toLowerCase()}.`);
      return "failed";
    }
    return "decided";
  }

  /** Says what somebody else made of it. */
  async overtake() {
    this.#settle("Already decided elsewhere.");
    const { id, agent_id: agent, user_id: user, memory_content: content } = this.memory;
    try {
      const memory = (await this.#page.sdk.listUserMemories(agent, user)).find((one) => one.id === id);
      this.#settle(tellOf(memory));
    } catch {
      // that it is decided is all that is known
    }
    if (this.hasFocus) {
      this.#page.done(`${part(this.element, "note").textContent} ${content}`);
    }
  }

  /** @param {string} note */
  #settle(note) {
    write(part(this.element, "note"), note);
    write(part(this.element, "left"), "");
    this.#become("settled");
  }

  /** @param {Card["state"]} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.element.ariaBusy = String(state === "busy");
    for (const button of this.element.querySelectorAll("button")) {
      button.disabled = state !== "open";
    }
  }
}

/** What became of a memory that somebody else had to do with. @param {Memory | undefined} memory */
function tellOf(memory) {
  if (memory === undefined) {
    return "Already deleted elsewhere.";
  }
  if (memory.status === "approved" || memory.reject_reason === "reviewer") {
    return `Already decided (${memory.status}) elsewhere.`;
  }
  return `${statusOf(memory)}.`;
}

import { visible } from "../01-script-tag/arguments.js";
import { oldestFirst } from "./decisions.js";
import { askFor, byId, count, write } from "./page.js";

/** @typedef {import("./card.js").Card} Card */
/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** The texts for each action. */
const words = /** @type {const} */ ({
  approve: { title: "Approve these memories?", button: "Approve", text: "Each is then used, in place of what it contradicts. Of those that contradict each other, the newest is used, and the others are superseded." },
  reject: { title: "Reject these memories?", button: "Reject", text: "None of them will be used, and the same will not be found again." },
});

/** How many statements the question shows. */
const named = 5;

/** The selected cards. After one question all of them are decided. */
export class Selection {
  #bar = byId("selection");
  #all = byId("pick-all");
  #cards;
  #decide;

  /** @param {() => Card[]} cards @param {(cards: Card[], action: "approve" | "reject") => void} decide */
  constructor(cards, decide) {
    this.#cards = cards;
    this.#decide = decide;
    byId("queue").addEventListener("change", () => this.show());
    this.#all.addEventListener("change", () => {
      for (const card of this.#open) {
        card.pick(this.#all.checked);
      }
      this.show();
    });
    this.#bar.addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("button")?.dataset.action;
      if (action === "approve" || action === "reject") {
        void this.#ask(action);
      }
    });
  }

  get #open() {
    return this.#cards().filter(({ state }) => state === "open");
  }

  get #picked() {
    return this.#open.filter(({ isPicked }) => isPicked);
  }

  /** Shows how many are selected. */
  show() {
    const [open, picked] = [this.#open.length, this.#picked.length];
    this.#bar.hidden = this.#cards().length < 2; // counts decided cards too: nothing may move under the pointer
    this.#all.checked = picked > 0 && picked === open;
    this.#all.indeterminate = picked > 0 && picked < open;
    write(byId("picked"), picked === 0 ? `Select all ${open}` : `${picked} of ${open} selected`);
    for (const button of this.#bar.querySelectorAll("button")) {
      button.disabled = picked === 0;
    }
  }

  /** @param {"approve" | "reject"} action */
  async #ask(action) {
    const picked = this.#picked;
    const { title, button, text } = words[action];
    const users = new Set(picked.map(({ memory }) => memory.user_id)).size;
    const lines = picked.slice(0, named).map((card) => card.statementFor(action) ?? card.memory.memory_content);
    const others = picked.length > named ? [`… and ${picked.length - named} more`] : [];
    const many = `${count(picked.length, "memory", "memories")} of ${count(users, "user", "users")}.`;
    const replaced = action === "approve" ? contradictions(picked) : [];
    const contradict = replaced.length === 0 ? "" : ` These are ${replaced.length}:`;
    const list = replaced.length > named ? [...replaced.slice(0, named), `… and ${replaced.length - named} more`] : replaced;
    if (await askFor(title, [...lines, ...others].join("\n"), `${many} ${text}${contradict}`, `${button} ${picked.length}`, list)) {
      this.#decide(picked.filter(({ state }) => state === "open"), action);
      byId("review-title").focus({ preventScroll: true });
    }
  }
}

/** The memories that a newer one of the same selection will supersede, as lines. @param {Card[]} cards */
function contradictions(cards) {
  const ordered = oldestFirst(cards.filter((card) => card.statementFor("approve") === undefined)).map(({ memory }) => memory);
  return ordered.flatMap((memory, at) => {
    const newer = ordered.slice(at + 1).findLast((other) => contradict(memory, other));
    return newer === undefined ? [] : `“${visible(memory.memory_content)}” gives way to “${visible(newer.memory_content)}”`;
  });
}

/** Whether two pending memories contradict each other; each names some of those that it contradicts. @param {Memory} one @param {Memory} other */
function contradict(one, other) {
  return one.conflicts_with_pending?.includes(other.id) || other.conflicts_with_pending?.includes(one.id);
}

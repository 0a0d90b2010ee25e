import { Card } from "./card.js";
import { byId, part, write } from "./page.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** Where the choice to have no keys is kept. */
const storageKey = "chatsdk-console-keys";

/**
 * The memories that wait for a review. Those that wait longest come first, so
 * that what comes in moves nothing.
 */
export class Queue {
  #page;
  #list = byId("queue");
  /** @type {Rows<Memory, Card>} */
  #rows;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.#rows = new Rows(this.#list, (memory) => new Card(page, memory), byId("queue-more"));
    this.#list.addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("button")?.dataset.action;
      const card = this.#rows.get(target.closest("[data-memory]")?.dataset.memory);
      if (action !== undefined && card !== undefined) {
        void this.#decide(card, action);
      }
    });
    byId("keys-on").checked = localStorage.getItem(storageKey) !== "off";
    byId("keys-on").addEventListener("change", () => localStorage.setItem(storageKey, byId("keys-on").checked ? "on" : "off"));
    addEventListener("keydown", (event) => this.#press(event));
  }

  /**
   * Shows what is pending, with what it contradicts.
   * @param {(Memory & {conflicts: string[]})[]} pending
   * @param {import("../../dist/chatsdk.d.ts").MemorySettings} settings
   * @param {number} total of the memories, decided ones too
   */
  show(pending, settings, total) {
    const held = this.#hold(new Set(pending.map(({ id }) => id)));
    const items = [...pending, ...held].sort((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
    this.#rows.show(items);
    byId("reviewed").hidden = items.length > 0;
    byId("keys").hidden = items.length === 0;
    part(byId("reviewed"), "try").hidden = !settings.memory_enabled;
    write(part(byId("reviewed"), "text"), settings.memory_enabled && settings.auto_approve
      ? "What is found is approved without a review. The settings can change that."
      : total > 0 ? "All that was found is decided." : "Nothing was found yet.");
  }

  /**
   * Keeps what is decided while a hand is near: what moves under it could make
   * it decide something else.
   * @param {Set<string>} pending ids
   */
  #hold(pending) {
    const isNear = this.#list.matches(":hover");
    const gone = this.#rows.all.filter(({ memory }) => !pending.has(memory.id));
    const held = gone.filter((card) => card.state === "busy" || isNear || card.hasFocus);
    for (const card of held.filter(({ state }) => state === "open")) {
      void card.overtake();
    }
    return held.map(({ memory }) => memory);
  }

  /** Lets the time that is left run. */
  tick() {
    for (const card of this.#rows.all) {
      card.tick();
    }
  }

  /** @param {Card} card @param {"approve" | "reject"} action */
  async #decide(card, action) {
    if (card.state !== "open") {
      return;
    }
    const outcome = await card.decide(action);
    if (outcome === "decided" && card.hasFocus) {
      // Where a mouse works, nothing moves under it.
      (this.#next(card)?.element ?? byId("review-title")).focus({ preventScroll: this.#list.matches(":hover") });
    }
    this.#page.changed();
  }

  /** The open card after another, else the last before it. @param {Card} card */
  #next(card) {
    const cards = this.#rows.all;
    const at = cards.indexOf(card);
    const isOpen = (/** @type {Card} */ { state }) => state === "open";
    return cards.slice(at + 1).find(isOpen) ?? cards.slice(0, at).findLast(isOpen);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const isTyping = /** @type {any} */ (event.target).closest?.("input:not([type=checkbox]), select, textarea, dialog");
    if (byId("review").hidden || !byId("keys-on").checked || isTyping || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) {
      return;
    }
    if (event.key === "j" || event.key === "k") {
      this.#move(event.key === "j" ? 1 : -1);
    } else if ((event.key === "a" || event.key === "r") && !event.repeat) {
      this.#pressOn(event.key === "a" ? "approve" : "reject");
    }
  }

  /** @param {1 | -1} step */
  #move(step) {
    const cards = this.#rows.all;
    const at = cards.findIndex(({ hasFocus }) => hasFocus);
    (cards[at === -1 ? 0 : at + step] ?? cards[at])?.element.focus();
  }

  /** Decides the card that has the focus, and no other. @param {"approve" | "reject"} action */
  #pressOn(action) {
    const card = this.#rows.all.find(({ hasFocus }) => hasFocus);
    if (card !== undefined) {
      void this.#decide(card, action);
    } else if (this.#rows.all.length > 0) {
      this.#page.done("Go to a memory first: press j.");
    }
  }
}

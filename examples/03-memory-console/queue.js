import { isComposing } from "../01-script-tag/keys.js";
import { Card } from "./card.js";
import { Decisions, grace } from "./decisions.js";
import { Filters } from "./filters.js";
import { Known } from "./known.js";
import { whyOthersWait } from "./memory.js";
import { byId, part, write } from "./page.js";
import { Pages } from "./pages.js";
import { address } from "./route.js";
import { Rows } from "./rows.js";
import { Selection } from "./selection.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** The storage key for whether the keys are off. */
const storageKey = "chatsdk-console-keys";

/**
 * The orders of the queue. By default those that have waited longest come first, so that a new one does not move the others.
 * @type {Record<string, (a: Memory, b: Memory) => number>}
 */
const orders = {
  "": (a, b) => a.created_at - b.created_at,
  newest: (a, b) => b.created_at - a.created_at,
  surest: (a, b) => b.confidence_score - a.confidence_score,
  user: (a, b) => (a.user_id < b.user_id ? -1 : Number(a.user_id > b.user_id)) || a.created_at - b.created_at,
};

/** What each key does with the card that has the focus. @type {Record<string, "approve" | "reject" | "edit" | "pick">} */
const keys = { a: "approve", r: "reject", e: "edit", x: "pick" };

/** The memories that wait for a review. */
export class Queue {
  #page;
  #list = byId("queue");
  #decisions;
  #selection;
  #known = new Known();
  #filters;
  #pages;
  /** @type {Rows<Memory, Card>} */
  #rows;
  /** The agent and the filters of the list that is shown. */
  #shown = "";

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.#decisions = new Decisions(page);
    this.#rows = new Rows(this.#list, (memory) => new Card(page, memory));
    this.#pages = new Pages(byId("queue-more"), page.changed);
    this.#filters = new Filters(byId("review-filters"), "review", page.changed);
    this.#selection = new Selection(() => this.#rows.all, (cards, action) => this.#decide(cards, action));
    this.#list.addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("button")?.dataset.action;
      const card = this.#rows.get(target.closest("[data-memory]")?.dataset.memory);
      if (action !== undefined && card !== undefined) {
        this.#act(card, action);
      }
    });
    this.#list.addEventListener("decided", (/** @type {any} */ { target }) => {
      const card = this.#rows.get(target.dataset.memory);
      if (card?.hasFocus) {
        this.#goOn([card]);
      }
    });
    byId("keys-on").checked = localStorage.getItem(storageKey) !== "off";
    byId("keys-on").addEventListener("change", () => localStorage.setItem(storageKey, byId("keys-on").checked ? "on" : "off"));
    addEventListener("keydown", (event) => this.#press(event));
  }

  fill() {
    this.#filters.fill();
  }

  /**
   * Loads the memories that wait, with the memories that they contradict or are close to.
   * @param {any} sdk @param {string} agentId @param {Record<string, string>} filters @param {Promise<any>} counts
   */
  async look(sdk, agentId, filters, counts) {
    const { user, type, waits_for: reason, sort } = filters;
    const of = JSON.stringify([agentId, user]);
    const { items, hasMore } = await this.#pages.read(of, async (page) => {
      const { approvals, next_cursor } = await sdk.listPendingMemories({ agentId, userId: user || undefined, ...page });
      return { items: approvals, next_cursor };
    });
    const stats = await counts;
    const chosen = items.filter((memory) => (!type || memory.memory_type === type) && (!reason || memory.waits_for === reason));
    const pending = await this.#known.beside(sdk, chosen, stats);
    const isFiltered = [user, type, reason].some(Boolean);
    return (/** @type {any} */ settings) => {
      const note = hasMore ? `The newest ${items.length} of ${stats.pending}. Filters and order apply to these.` : "";
      write(byId("queue-part"), note);
      write(byId("queue-why"), whyOthersWait(pending, settings));
      this.#pages.offer(hasMore);
      this.#show(pending, orders[sort ?? ""] ?? orders[""], of + type + reason);
      this.#tellOfNone(settings, stats.total, isFiltered);
    };
  }

  /** @param {import("./card.js").Waiting[]} pending @param {any} order @param {string} shown */
  #show(pending, order, shown) {
    const held = this.#hold(new Set(pending.map(({ id }) => id)), shown === this.#shown);
    this.#shown = shown;
    this.#rows.show([...pending, ...held].sort((a, b) => order(a, b) || (a.id < b.id ? -1 : 1)));
    this.#selection.show();
  }

  /** @param {import("../../dist/chatsdk.d.ts").MemorySettings} settings @param {number} total @param {boolean} isFiltered */
  #tellOfNone(settings, total, isFiltered) {
    const isEmpty = this.#rows.all.length === 0;
    byId("reviewed").hidden = !isEmpty;
    byId("keys").hidden = isEmpty;
    part(byId("reviewed"), "try").hidden = !settings.memory_enabled || isFiltered;
    write(part(byId("reviewed"), "text"), isFiltered ? "No waiting memory matches these filters."
      : settings.memory_enabled && settings.auto_approve ? "What is plainly a user's own statement is approved at once. What may be somebody else's words waits here."
        : total > 0 ? "Everything that was found has been decided." : "Nothing has been found yet.");
  }

  /**
   * Keeps the cards that somebody is working on, that failed, or that have not been sent. While the pointer or the focus is near it also
   * keeps decided cards: otherwise another card would move into their place and could be decided by mistake.
   * @param {Set<string>} pending ids @param {boolean} isSame The list has the same agent and filters as before.
   */
  #hold(pending, isSame) {
    const isNear = this.#list.matches(":hover") && isSame;
    const gone = this.#rows.all.filter(({ memory }) => !pending.has(memory.id));
    const isInWork = (/** @type {Card} */ { state, failed, isEdited, isPicked }) =>
      state === "busy" || state === "waiting" || (state === "open" && (failed !== undefined || isEdited || isPicked));
    const held = gone.filter((card) => isInWork(card) || card.isKept || isNear || (card.hasFocus && isSame));
    for (const card of held.filter(({ state }) => state === "waiting" || (state === "open" && isSame))) {
      void this.#overtake(card);
    }
    return held.map(({ memory }) => memory);
  }

  /** Drops a decision that was not sent if somebody else decided first. @param {Card} card */
  async #overtake(card) {
    if (await card.overtake(card.state === "waiting" ? grace : 0)) {
      this.#decisions.drop(card);
    }
  }

  /** Updates the time that is left. */
  tick() {
    this.#decisions.tick();
    for (const card of this.#rows.all) {
      card.tick();
    }
  }

  /** Drops the decisions that were not sent, because their user is signed out. @param {any} error */
  giveUp(error) {
    this.#decisions.giveUp(error);
  }

  /** @param {Card} card @param {string} action */
  #act(card, action) {
    const { id, agent_id: agent, source_message_id: message, user_id: user } = card.memory;
    if (action === "approve" || action === "reject") {
      this.#decide([card], action);
    } else if (action === "edit") {
      card.edit(!card.isEdited);
    } else if (action === "undo") {
      this.#decisions.drop(card);
      card.reopen();
      this.#page.done(`Undone: ${card.memory.memory_content}`);
    } else if (action === "again" && card.failed !== undefined) {
      void this.#decisions.again(card, card.failed);
    } else if (action === "source" && message !== undefined) {
      location.hash = address(agent, "source", { message, user });
    } else if (action === "pick" && id) {
      card.pick(!card.isPicked);
      this.#selection.show();
    }
  }

  /** @param {Card[]} cards @param {"approve" | "reject"} action */
  #decide(cards, action) {
    const open = cards.filter((card) => card.state === "open" && !(action === "approve" && card.refuseBlank()));
    if (open.length === 0) {
      return;
    }
    const hadFocus = open.some(({ hasFocus }) => hasFocus);
    this.#decisions.add(open, action);
    this.#selection.show();
    if (hadFocus && this.#next(open) !== undefined) {
      this.#goOn(open); // otherwise the focus stays, so that the decision can be undone
    }
    const what = open.length === 1 ? open[0]?.memory.memory_content : `${open.length} memories`;
    this.#page.done(`${action === "approve" ? "To be approved" : "To be rejected"}, in ${grace} seconds: ${what}.${byId("keys-on").checked ? " Press u to undo." : ""}`);
  }

  /** Moves the focus to the next card to decide. If the pointer is over the list, nothing scrolls. @param {Card[]} decided */
  #goOn(decided) {
    (this.#next(decided)?.element ?? byId("review-title")).focus({ preventScroll: this.#list.matches(":hover") });
  }

  /** The next open card; if there is none, the last open card before. @param {Card[]} decided */
  #next(decided) {
    const cards = this.#rows.all;
    const at = cards.indexOf(/** @type {Card} */ (decided[0]));
    const isOpen = (/** @type {Card} */ card) => card.state === "open" && !decided.includes(card);
    return cards.slice(at + 1).find(isOpen) ?? cards.slice(0, at).findLast(isOpen);
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const isTyping = /** @type {any} */ (event.target).closest?.("input:not([type=checkbox]), select, textarea, dialog");
    if (byId("review").hidden || byId("main").hidden || !byId("keys-on").checked || isTyping
      || event.ctrlKey || event.metaKey || event.altKey || isComposing(event)) {
      return;
    }
    const action = keys[event.key];
    if (event.key === "j" || event.key === "k") {
      this.#move(event.key === "j" ? 1 : -1);
    } else if (event.key === "u" && !event.repeat) {
      this.#undo();
    } else if (action !== undefined && !event.repeat) {
      this.#pressOn(action, event);
    }
  }

  /** @param {1 | -1} step */
  #move(step) {
    const cards = this.#rows.all;
    const at = cards.findIndex(({ hasFocus }) => hasFocus);
    (cards[at === -1 ? 0 : at + step] ?? cards[at])?.element.focus();
  }

  #undo() {
    const [first, ...others] = this.#decisions.undo();
    if (first !== undefined) {
      first.element.focus();
      this.#page.done(others.length === 0 ? `Undone: ${first.memory.memory_content}` : `Undone: ${others.length + 1} memories`);
    }
  }

  /** Applies a key only to the card that has the focus. @param {string} action @param {Event} event */
  #pressOn(action, event) {
    const card = this.#rows.all.find(({ hasFocus }) => hasFocus);
    if (card?.state === "open") {
      event.preventDefault(); // otherwise the key would be typed into the field that it opens
      this.#act(card, action);
    } else if (card === undefined && this.#rows.all.length > 0) {
      this.#page.done("Go to a memory first: press j.");
    }
  }
}

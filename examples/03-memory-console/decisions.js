import { isOfStatement } from "./errors.js";

/** Seconds in which a decision can be undone. */
export const grace = 10;

/** How many memories the service decides in one request. */
const most = 500;

/**
 * Cards that were decided together.
 * @typedef {object} Group
 * @property {Set<import("./card.js").Card>} cards
 * @property {"approve" | "reject"} action
 * @property {number} due milliseconds since the Unix epoch
 */

/**
 * Decisions that have been made but not sent; until they are sent, each can be undone. The ones
 * that still wait are sent when the page is left.
 */
export class Decisions {
  #page;
  /** @type {Set<Group>} */
  #waiting = new Set();
  /** The groups that were sent and have no response yet. @type {Set<Group>} */
  #sent = new Set();
  /** Cards whose decisions were sent when the page was left, so that no response arrived. @type {import("./card.js").Card[]} */
  #left = [];

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    addEventListener("pagehide", () => this.#leave());
    addEventListener("pageshow", ({ persisted }) => persisted && void this.#comeBack());
  }

  /** @param {import("./card.js").Card[]} cards @param {"approve" | "reject"} action */
  add(cards, action) {
    const group = { cards: new Set(cards), action, due: Date.now() + grace * 1000 };
    this.#waiting.add(group);
    for (const card of cards) {
      card.wait(action, grace);
    }
  }

  /** Updates the time that is left, and sends the decisions that are due. */
  tick() {
    for (const group of [...this.#waiting]) {
      const left = Math.ceil((group.due - Date.now()) / 1000);
      if (left <= 0) {
        this.#waiting.delete(group);
        void this.#send(group);
        continue;
      }
      for (const card of group.cards) {
        card.wait(group.action, left);
      }
    }
  }

  /** Withdraws a card's decision before it is sent. @param {import("./card.js").Card} card */
  drop(card) {
    for (const group of this.#waiting) {
      group.cards.delete(card);
      if (group.cards.size === 0) {
        this.#waiting.delete(group);
      }
    }
  }

  /** Withdraws the latest decision, and returns its cards. */
  undo() {
    const group = [...this.#waiting].at(-1);
    if (group === undefined) {
      return [];
    }
    this.#waiting.delete(group);
    const cards = [...group.cards];
    for (const card of cards) {
      card.reopen();
    }
    return cards;
  }

  /** Drops all decisions that were not sent: somebody else may sign in next. @param {any} error */
  giveUp(error) {
    for (const { cards, action } of this.#waiting) {
      for (const card of cards) {
        card.fail(action, error);
      }
    }
    this.#waiting.clear();
  }

  /** Sends a failed decision again, at once. @param {import("./card.js").Card} card @param {"approve" | "reject"} action */
  async again(card, action) {
    await this.#send({ cards: new Set([card]), action, due: 0 });
  }

  /** @param {Group} group */
  async #send(group) {
    this.#sent.add(group);
    for (const card of group.cards) {
      card.send();
    }
    const cards = [...group.cards];
    const alone = cards.length === 1 ? cards : cards.filter((card) => card.statementFor(group.action) !== undefined);
    const together = cards.filter((card) => !alone.includes(card));
    const parts = [];
    for (let from = 0; from < together.length; from += most) {
      parts.push(together.slice(from, from + most));
    }
    await Promise.all([...alone.map((card) => this.#sendOne(card, group.action)), ...parts.map((part) => this.#sendMany(part, group.action))]);
    this.#sent.delete(group);
    this.#page.changed();
  }

  /** @param {import("./card.js").Card} card @param {"approve" | "reject"} action */
  async #sendOne(card, action) {
    const { sdk } = this.#page;
    const { id } = card.memory;
    const statement = card.statementFor(action);
    try {
      const { superseded } = await (action === "reject" ? sdk.rejectMemory(id)
        : statement === undefined ? sdk.approveMemory(id) : sdk.approveMemory(id, { memoryContent: statement }));
      this.#page.done(card.settle(action, superseded));
    } catch (/** @type {any} */ error) {
      await this.#fail(card, action, error, sdk);
    }
  }

  /** @param {import("./card.js").Card[]} cards @param {"approve" | "reject"} action */
  async #sendMany(cards, action) {
    const { sdk } = this.#page;
    const byId = new Map(cards.map((card) => [card.memory.id, card]));
    try {
      /** @type {import("../../dist/chatsdk.d.ts").DecideMemoriesResponse} */
      const { results } = await sdk.decideMemories({ action, memoryIds: [...byId.keys()] });
      const decided = results.filter(({ status }) => status === 200);
      const replaced = new Set(decided.flatMap(({ superseded }) => superseded ?? []).filter((id) => byId.has(id)));
      const others = replaced.size === 0 ? "" : ` ${replaced.size} of them ${replaced.size === 1 ? "was" : "were"} superseded by others of them.`;
      this.#page.done(`${action === "approve" ? "Approved" : "Rejected"}: ${decided.length - replaced.size} of ${cards.length} memories.${others}`);
      await Promise.all(results.map(({ memory_id: id, status, superseded }) => {
        const card = byId.get(id);
        return status === 200 ? card?.settle(action, superseded ?? [], replaced.has(id)) : card && this.#fail(card, action, { status }, sdk);
      }));
    } catch (/** @type {any} */ error) {
      await Promise.all(cards.map((card) => this.#fail(card, action, error, sdk)));
    }
  }

  /** @param {import("./card.js").Card} card @param {"approve" | "reject"} action @param {any} error @param {any} sdk that sent it */
  async #fail(card, action, error, sdk) {
    const isDecided = error.status === 404 || (error.status === 409 && !isOfStatement(error));
    if (isDecided && await card.overtake(grace, true)) {
      return;
    }
    this.#page.done(card.fail(action, error));
    if (error.status === 401 && sdk === this.#page.sdk) { // somebody else may have signed in meanwhile
      this.#page.refused(error);
    }
  }

  /**
   * Sends the decisions that wait, when the page is left. Those without a response are sent again: the
   * service uses the first of the two. Only requests that begin at once survive the end of the page.
   */
  #leave() {
    for (const { cards, action } of [...this.#waiting, ...this.#sent]) {
      const whole = [...cards].filter((card) => card.statementFor(action) === undefined).map(({ memory }) => memory.id);
      for (let from = 0; from < whole.length; from += most) {
        this.#page.leave("memory-approvals/actions", { action, memory_ids: whole.slice(from, from + most) });
      }
      for (const card of cards) {
        const statement = card.statementFor(action);
        if (statement !== undefined) {
          this.#page.leave(`memory-approvals/${encodeURIComponent(card.memory.id)}/action`, { action, memory_content: statement });
        }
        card.send();
        this.#left.push(card);
      }
    }
    this.#waiting.clear();
  }

  /** If the browser shows the same page again, asks what happened to the decisions that were sent when it was left. */
  async #comeBack() {
    const left = this.#left.splice(0);
    await Promise.all(left.map(async (card) => await card.overtake(grace) || card.reopen()));
    this.#page.changed();
  }
}

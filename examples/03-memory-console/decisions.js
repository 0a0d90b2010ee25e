import { isOfStatement } from "./errors.js";

/** Seconds in which a decision can be undone. */
export const grace = 10;

/** How many memories the service decides in one request. */
const most = 500;

/**
 * What became of a decision that was sent: the ids that it superseded, or why it failed.
 * @typedef {{card: import("./card.js").Card, superseded?: string[], error?: any}} Outcome
 */

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

  /**
   * Sends the oldest first, and what was edited at last, one after the other: of those that contradict each
   * other, the last one is used.
   * @param {Group} group
   */
  async #send(group) {
    const { sdk } = this.#page;
    const { action } = group;
    this.#sent.add(group);
    const cards = oldestFirst(group.cards);
    for (const card of cards) {
      card.send();
    }
    const alone = cards.length === 1 ? cards : cards.filter((card) => card.statementFor(action) !== undefined);
    const together = cards.filter((card) => !alone.includes(card));
    /** @type {Outcome[]} */
    const outcomes = [];
    for (let from = 0; from < together.length; from += most) {
      outcomes.push(...await this.#sendMany(together.slice(from, from + most), action, sdk));
    }
    for (const card of alone) {
      outcomes.push(await this.#sendOne(card, action, sdk));
    }
    await this.#settle(outcomes, action, sdk);
    this.#sent.delete(group);
    this.#page.changed();
  }

  /** @param {import("./card.js").Card} card @param {"approve" | "reject"} action @param {any} sdk @returns {Promise<Outcome>} */
  async #sendOne(card, action, sdk) {
    const { id } = card.memory;
    const statement = card.statementFor(action);
    try {
      const { superseded } = await (action === "reject" ? sdk.rejectMemory(id)
        : statement === undefined ? sdk.approveMemory(id) : sdk.approveMemory(id, { memoryContent: statement }));
      return { card, superseded };
    } catch (error) {
      return { card, error };
    }
  }

  /** @param {import("./card.js").Card[]} cards @param {"approve" | "reject"} action @param {any} sdk @returns {Promise<Outcome[]>} */
  async #sendMany(cards, action, sdk) {
    try {
      /** @type {import("../../dist/chatsdk.d.ts").DecideMemoriesResponse} */
      const { results } = await sdk.decideMemories({ action, memoryIds: cards.map(({ memory }) => memory.id) });
      const byId = new Map(results.map((result) => [result.memory_id, result]));
      return cards.map((card) => {
        const { status = 404, superseded = [] } = byId.get(card.memory.id) ?? {};
        return status === 200 ? { card, superseded } : { card, error: { status } };
      });
    } catch (error) {
      return cards.map((card) => ({ card, error }));
    }
  }

  /**
   * Shows on each card what became of it, and in a sentence what became of all.
   * @param {Outcome[]} outcomes @param {"approve" | "reject"} action @param {any} sdk that sent them
   */
  async #settle(outcomes, action, sdk) {
    const replaced = new Set(outcomes.flatMap(({ superseded = [] }) => superseded));
    const done = outcomes.filter(({ superseded }) => superseded !== undefined);
    const lost = done.filter(({ card }) => replaced.has(card.memory.id)).length;
    for (const { card, superseded = [] } of done) {
      this.#page.done(card.settle(action, superseded, replaced.has(card.memory.id)));
    }
    await Promise.all(outcomes.map(({ card, superseded, error }) => superseded === undefined && this.#fail(card, action, error, sdk)));
    if (outcomes.length > 1) {
      const decided = `${action === "approve" ? "Approved" : "Rejected"}: ${done.length - lost} of ${outcomes.length} memories.`;
      this.#page.done(decided + was(lost, "superseded by a newer one of them") + was(outcomes.length - done.length, "not, as the cards say"));
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
      const whole = oldestFirst(cards).filter((card) => card.statementFor(action) === undefined).map(({ memory }) => memory.id);
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

/**
 * Cards in the order in which their memories were found: first by time, then by place in their message.
 * @param {Iterable<import("./card.js").Card>} cards
 */
export function oldestFirst(cards) {
  return [...cards].sort(({ memory: a }, { memory: b }) =>
    a.created_at - b.created_at || (a.span?.start ?? 0) - (b.span?.start ?? 0) || (a.id < b.id ? -1 : 1));
}

/** A sentence about some of many memories, empty for none. @param {number} many @param {string} what */
function was(many, what) {
  return many === 0 ? "" : ` ${many} ${many === 1 ? "was" : "were"} ${what}.`;
}

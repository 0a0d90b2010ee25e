import { exportMemories } from "./export.js";
import { Filters } from "./filters.js";
import { roomOf } from "./known.js";
import { askFor, byId, copyOf, count, part, write } from "./page.js";
import { Pages } from "./pages.js";
import { address } from "./route.js";
import { MemoryRow } from "./row.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** A user with their memories. @typedef {{id: string, agent: string, memories: Memory[], room: string}} Owned */

/** The orders of a user's memories; the service returns the newest first. @type {Record<string, ((a: Memory, b: Memory) => number) | undefined>} */
const orders = {
  oldest: (a, b) => a.created_at - b.created_at,
  statement: (a, b) => a.memory_content.localeCompare(b.memory_content),
};

/** Whether a memory is one of a status: nobody rejected what was superseded. @param {Memory} memory @param {string | undefined} status */
function isOf({ reject_reason: reason }, status) {
  return status === "superseded" ? reason === "superseded" : status !== "rejected" || reason !== "superseded";
}

/** The memories of an agent that match the filters, by user. */
export class MemoryList {
  #page;
  #editor;
  #pages;
  #filters;
  /** @type {Rows<Owned, Owner>} */
  #rows;
  /** The users that the filter may offer. @type {Set<string>} */
  #users = new Set();
  #agent = "";

  /** @param {import("./page.js").Page} page @param {import("./editor.js").Editor} editor */
  constructor(page, editor) {
    this.#page = page;
    this.#editor = editor;
    this.#rows = new Rows(byId("owners"), () => new Owner(page));
    this.#pages = new Pages(byId("owners-more"), page.changed);
    this.#filters = new Filters(byId("filters"), "memories", page.changed);
    byId("add").addEventListener("click", () => this.#editor.add(this.#agent, byId("filters").elements.user.value));
    byId("owners").addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("[data-action]")?.dataset.action;
      const owner = this.#rows.get(target.closest("[data-user]")?.dataset.user);
      const row = owner?.row(target.closest("[data-memory]")?.dataset.memory);
      if (action !== undefined && owner !== undefined) {
        void this.#act(action, owner, row?.memory);
      }
    });
  }

  fill() {
    this.#filters.fill();
  }

  /** Loads the memories. @param {any} sdk @param {string} agent @param {Record<string, string>} filters */
  async look(sdk, agent, { user, type, status, sort }) {
    const asked = status === "superseded" ? "rejected" : status;
    const [{ items, hasMore }, room] = await Promise.all([
      this.#pages.read(JSON.stringify([agent, user, type, asked]), async (page) => {
        const list = await sdk.listMemories(agent, { userId: user || undefined, type: type || undefined, status: asked || undefined, ...page });
        return { items: Object.values(list.memories_by_user).flat(), next_cursor: list.next_cursor };
      }),
      user ? sdk.getMemoryStats(agent, { userId: user }).then((/** @type {any} */ stats) => roomOf(stats.room)) : "",
    ]);
    return (/** @type {any} */ settings) => {
      if (agent !== this.#agent) {
        this.#agent = agent;
        this.#users.clear();
      }
      this.#pages.offer(hasMore);
      const chosen = items.filter((/** @type {Memory} */ memory) => isOf(memory, status));
      this.#show(chosen, orders[sort ?? ""], room, hasMore);
      this.#tellOfNone(chosen.length, hasMore, [user, type, status].some(Boolean), settings.memory_enabled);
    };
  }

  /** @param {Memory[]} memories @param {((a: Memory, b: Memory) => number) | undefined} order @param {string} room @param {boolean} hasMore */
  #show(memories, order, room, hasMore) {
    /** @type {Map<string, Memory[]>} */
    const byUser = new Map();
    for (const memory of memories) {
      byUser.set(memory.user_id, [...byUser.get(memory.user_id) ?? [], memory]);
    }
    const owned = [...byUser].map(([id, own]) => ({ id, agent: this.#agent, memories: order === undefined ? own : own.toSorted(order), room }));
    this.#rows.show(owned.sort((a, b) => (a.id < b.id ? -1 : 1)));
    this.#suggest([...byUser.keys()]);
    const all = `${count(memories.length, "memory", "memories")} of ${count(byUser.size, "user", "users")}`;
    write(byId("count"), hasMore && memories.length === 0 ? "None among the newest" : memories.length === 0 ? "" : hasMore ? `The newest ${all}` : all);
  }

  /** @param {number} found @param {boolean} hasMore @param {boolean} isFiltered @param {boolean} isOn Memory is on. */
  #tellOfNone(found, hasMore, isFiltered, isOn) {
    byId("nothing").hidden = found > 0 || hasMore;
    write(part(byId("nothing"), "title"), isFiltered ? "Nothing matches these filters" : "No memories yet");
    write(part(byId("nothing"), "text"), isFiltered
      ? "Show all, or choose others. A user's id must be complete."
      : isOn ? "What users say about themselves is found as they chat." : "");
    part(byId("nothing"), "try").hidden = isFiltered || !isOn;
  }

  /** @param {string[]} users */
  #suggest(users) {
    if (users.some((user) => !this.#users.has(user)) || byId("users").childElementCount !== this.#users.size) {
      this.#users = new Set([...this.#users, ...users]);
      byId("users").replaceChildren(...[...this.#users].sort().map((user) => new Option(user, user)));
    }
  }

  /** Updates the time that is left. */
  tick() {
    for (const owner of this.#rows.all) {
      owner.tick();
    }
  }

  /** @param {string} action @param {Owner} owner @param {Memory | undefined} memory */
  async #act(action, owner, memory) {
    const { agent, user } = owner;
    if (action === "delete-all") {
      await this.#deleteAll(owner);
    } else if (action === "export") {
      await this.#try(() => exportMemories(this.#page.sdk, agent, user), `The memories of ${user} were not exported.`);
    } else if (action === "add-to") {
      this.#editor.add(agent, user);
    } else if (memory !== undefined) {
      await this.#actOn(action, memory);
    }
  }

  /** @param {string} action @param {Memory} memory */
  async #actOn(action, memory) {
    const { id, agent_id: agent, user_id: user, memory_content: content, source_message_id: message } = memory;
    if (action === "delete") {
      await this.#delete(memory);
    } else if (action === "change") {
      this.#editor.change(memory);
    } else if (action === "source" && message !== undefined) {
      location.hash = address(agent, "source", { message, user });
    } else if (action === "restore") {
      await this.#try(async () => {
        await this.#page.sdk.approveMemory(id);
        return `Approved again: ${content}`;
      }, `“${content}” was not approved again. If the memory that replaced it is still in use, delete that first.`);
    }
  }

  /** @param {Memory} memory */
  async #delete({ id, user_id: user, memory_content: content }) {
    const isSure = await askFor("Delete this memory?", content, `It is about ${user}. It will be deleted for good, and the same will not be remembered again.`);
    if (isSure) {
      await this.#try(async () => {
        await this.#page.sdk.deleteMemory(id);
        return `Deleted: ${content}`;
      }, `“${content}” was not deleted.`);
    }
  }

  /** @param {Owner} owner */
  async #deleteAll({ agent, user }) {
    const isSure = await askFor("Delete all memories of this user?", user, "All are deleted for good, whatever their status. The records that keep deleted ones from coming back are deleted too.");
    if (isSure) {
      await this.#try(async () => {
        const { deleted } = await this.#page.sdk.deleteUserMemories(agent, user);
        return `${count(deleted, "memory", "memories")} of ${user} deleted`;
      }, `The memories of ${user} were not deleted.`);
    }
  }

  /** @param {() => Promise<string>} work returns the text to show. @param {string} failure */
  async #try(work, failure) {
    try {
      this.#page.done(await work());
    } catch (/** @type {any} */ error) {
      if (error.status === 404) {
        this.#page.done("Already deleted elsewhere");
      } else {
        this.#page.failed(error, failure);
      }
    }
    this.#page.changed();
  }
}

/** A user, with rows for their memories. */
class Owner {
  element = copyOf("owner");
  agent = "";
  user = "";
  /** @type {Rows<Memory, MemoryRow>} */
  #rows;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#rows = new Rows(this.element.querySelector("ul"), () => new MemoryRow(page));
  }

  /** @param {Owned} owned */
  show({ id, agent, memories, room }) {
    this.user = this.element.dataset.user = id;
    this.agent = agent;
    const link = part(this.element, "user");
    write(link, id);
    link.href = address(agent, "memories", { user: id });
    write(part(this.element, "count"), count(memories.length, "memory", "memories"));
    write(part(this.element, "room"), room);
    for (const [action, text] of [["delete-all", "Delete all memories of"], ["export", "Export all memories of"], ["add-to", "Add a memory of"]]) {
      this.element.querySelector(`[data-action=${action}]`).ariaLabel = `${text} ${id}`;
    }
    this.#rows.show(memories);
  }

  /** @param {string | undefined} id */
  row(id) {
    return this.#rows.get(id ?? "");
  }

  tick() {
    for (const row of this.#rows.all) {
      row.tick();
    }
  }
}

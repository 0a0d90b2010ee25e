import { describe, statusOf, tick } from "./memory.js";
import { askToDelete, byId, copyOf, count, part, write } from "./page.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** A user with their memories. @typedef {{id: string, memories: Memory[]}} Owned */

/** The memories of an agent by user, those that the filters let through. */
export class MemoryList {
  #page;
  /** @type {Rows<Owned, Owner>} */
  #rows;
  /** Who may be meant by the filter of the user. @type {Set<string>} */
  #users = new Set();

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.#rows = new Rows(byId("owners"), () => new Owner(), byId("owners-more"));
    byId("owners").addEventListener("click", (/** @type {any} */ { target }) => {
      const button = target.closest("[data-action]");
      const owner = this.#rows.get(target.closest("[data-user]")?.dataset.user);
      if (button?.dataset.action === "delete") {
        void this.#delete(owner?.memory(target.closest("[data-memory]").dataset.memory));
      } else if (button !== null && owner !== undefined) {
        void this.#deleteAll(owner);
      }
    });
  }

  /**
   * @param {import("../../dist/chatsdk.d.ts").ListMemoriesResponse} found
   * @param {boolean} isFiltered
   * @param {boolean} isOn Memory is on.
   */
  show({ memories_by_user: byUser, total_memories: memories, total_users: users }, isFiltered, isOn) {
    const owned = Object.entries(byUser).map(([id, memories]) => ({ id, memories }));
    this.#rows.show(owned.sort((a, b) => (a.id < b.id ? -1 : 1)));
    this.#suggest(Object.keys(byUser), isFiltered);
    write(byId("count"), memories === 0 ? "" : `${count(memories, "memory", "memories")} of ${count(users, "user", "users")}`);
    byId("nothing").hidden = memories > 0;
    write(part(byId("nothing"), "title"), isFiltered ? "Nothing matches these filters" : "No memories yet");
    write(part(byId("nothing"), "text"), isFiltered
      ? "Show all, or choose others. A user's id must be whole."
      : isOn ? "What users tell about themselves is found as they chat." : "");
    part(byId("nothing"), "try").hidden = isFiltered || !isOn;
  }

  /** @param {string[]} users @param {boolean} isFiltered There may be others. */
  #suggest(users, isFiltered) {
    const known = isFiltered ? new Set([...this.#users, ...users]) : new Set(users);
    if (known.size !== this.#users.size || [...known].some((user) => !this.#users.has(user))) {
      this.#users = known;
      byId("users").replaceChildren(...[...known].sort().map((user) => new Option(user, user)));
    }
  }

  /** Another agent has other users. */
  forget() {
    this.#users.clear();
    byId("users").replaceChildren();
  }

  /** Lets the time that is left run. */
  tick() {
    for (const owner of this.#rows.all) {
      owner.tick();
    }
  }

  /** @param {Memory | undefined} memory */
  async #delete(memory) {
    if (memory === undefined) {
      return;
    }
    const { id, user_id: user, memory_content: content } = memory;
    const isSure = await askToDelete("Delete this memory?", content, `It is remembered of ${user}. It goes for good, and the same is not remembered again.`);
    if (isSure) {
      await this.#try(async () => {
        await this.#page.sdk.deleteMemory(id);
        return `Deleted: ${content}`;
      }, `“${content}” was not deleted.`);
    }
  }

  /** @param {Owner} owner */
  async #deleteAll(owner) {
    const { agent, user } = owner;
    const isSure = await askToDelete("Delete all memories of this user?", user, "All go for good, in every status, with what keeps deleted ones from coming back.");
    if (isSure) {
      await this.#try(async () => {
        const { deleted } = await this.#page.sdk.deleteUserMemories(agent, user);
        return `${count(deleted, "memory", "memories")} of ${user} deleted`;
      }, `The memories of ${user} were not deleted.`);
    }
  }

  /** @param {() => Promise<string>} work gives what is told. @param {string} failure */
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
  #rows = new Rows(this.element.querySelector("ul"), () => new MemoryRow());

  /** @param {Owned} owned */
  show({ id, memories }) {
    this.user = this.element.dataset.user = id;
    this.agent = memories[0]?.agent_id ?? "";
    write(part(this.element, "user"), id);
    write(part(this.element, "count"), count(memories.length, "memory", "memories"));
    this.element.querySelector("[data-action=delete-all]").ariaLabel = `Delete all memories of ${id}`;
    this.#rows.show(memories);
  }

  /** @param {string} id */
  memory(id) {
    return this.#rows.get(id)?.memory;
  }

  tick() {
    for (const row of this.#rows.all) {
      row.tick();
    }
  }
}

/** A memory of any status. */
class MemoryRow {
  element = copyOf("memory");
  /** @type {Memory | undefined} */
  memory;
  #shown = "";

  /** @param {Memory} memory */
  show(memory) {
    const text = JSON.stringify(memory);
    if (text === this.#shown) {
      return;
    }
    [this.#shown, this.memory] = [text, memory];
    this.element.dataset.memory = memory.id;
    describe(this.element, memory);
    write(part(this.element, "status"), statusOf(memory));
    part(this.element, "status").dataset.status = memory.status;
    const date = part(this.element, "date");
    const changed = new Date((memory.approved_at ?? memory.rejected_at ?? memory.created_at) * 1000);
    date.dateTime = changed.toISOString();
    write(date, changed.toLocaleDateString("en", { day: "numeric", month: "short", year: "numeric" }));
    this.element.querySelector("[data-action=delete]").ariaLabel = `Delete “${memory.memory_content}”`;
  }

  tick() {
    if (this.memory !== undefined) {
      tick(this.element, this.memory);
    }
  }
}

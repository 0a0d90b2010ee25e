import { nameOf } from "./memory.js";
import { askFor, byId, count, write } from "./page.js";
import { readAll } from "./pages.js";
import { address } from "./route.js";
import { MemoryRow } from "./row.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** How many memories one request may decide. */
const maxDecisions = 500;

/** All memories that came from one message or one chat, to undo them at once, and the memories that they replaced. */
export class Source {
  #page;
  #editor;
  /** @type {Rows<Memory, MemoryRow>} */
  #rows;
  /** @type {Rows<Memory, MemoryRow>} */
  #replaced;
  /** @type {Memory[]} */
  #memories = [];
  /** All memories that have been in this list: the ones that they replaced may be restored when they are gone. @type {Set<string>} */
  #known = new Set();
  /** The message or chat that is shown. */
  #place = "";
  #agent = "";
  #user = "";

  /** @param {import("./page.js").Page} page @param {import("./editor.js").Editor} editor */
  constructor(page, editor) {
    this.#page = page;
    this.#editor = editor;
    this.#rows = new Rows(byId("source-list"), () => new MemoryRow(page));
    this.#replaced = new Rows(byId("replaced-list"), () => new MemoryRow(page));
    byId("source").addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("[data-action]")?.dataset.action;
      const id = target.closest("[data-memory]")?.dataset.memory;
      void this.#act(action, this.#rows.get(id)?.memory ?? this.#replaced.get(id)?.memory);
    });
  }

  /** Loads the memories from the message or chat, and those they replaced. @param {any} sdk @param {string} agent @param {Record<string, string>} filters */
  async look(sdk, agent, { message, chat, user }) {
    const from = chat ? { chatId: chat } : { messageId: message };
    const memories = message || chat ? await readAll(async (page) => {
      const list = await sdk.memoriesOfSource(agent, { ...from, ...page });
      return { items: Object.values(list.memories_by_user).flat(), next_cursor: list.next_cursor };
    }) : [];
    const place = chat ? `chat ${chat}` : `message ${message}`;
    if (place !== this.#place) {
      [this.#place, this.#known] = [place, new Set()];
    }
    [this.#agent, this.#user] = [agent, user ?? ""];
    for (const { id } of memories) {
      this.#known.add(id);
    }
    const own = user ? await readAll(async (page) => {
      const list = await sdk.listUserMemories(agent, user, { status: "rejected", ...page });
      return { items: list.memories, next_cursor: list.next_cursor };
    }) : [];
    const replaced = own.filter(({ superseded_by: by }) => by !== undefined && this.#known.has(by));
    return () => this.#show(memories, replaced, chat ? "chat" : "message");
  }

  /** @param {Memory[]} memories @param {Memory[]} replaced @param {"chat" | "message"} kind */
  #show(memories, replaced, kind) {
    this.#memories = memories;
    this.#rows.show(memories);
    this.#replaced.show(replaced);
    const pending = memories.filter(({ status }) => status === "pending").length;
    write(byId("source-title"), `Everything from this ${kind}`);
    write(byId("source-text"), memories.length === 0 ? `Nothing from this ${kind} is remembered any more.`
      : `${count(memories.length, "memory", "memories")} of ${nameOf(this.#user)}, ${pending} of them pending.`);
    byId("replaced").hidden = replaced.length === 0;
    const [first] = memories;
    byId("source-message").hidden = kind === "chat" || first?.triggering_message === undefined;
    this.#button("whole-chat").hidden = kind === "chat" || first?.source_chat_id === undefined;
    write(byId("source-message"), first?.triggering_message ?? "");
    this.#button("reject-source").hidden = pending === 0;
    this.#button("delete-source").hidden = memories.length === 0;
    write(this.#button("reject-source"), `Reject all pending (${pending})`);
    write(this.#button("delete-source"), `Delete all (${memories.length})`);
  }

  /** @param {string | undefined} action @param {Memory | undefined} memory */
  async #act(action, memory) {
    const { sdk } = this.#page;
    if (action === "reject-source") {
      await this.#rejectAll();
    } else if (action === "delete-source") {
      await this.#deleteAll();
    } else if (action === "whole-chat") {
      location.hash = address(this.#agent, "source", { chat: this.#memories[0]?.source_chat_id ?? "", user: this.#user });
    } else if (memory === undefined) {
      return;
    } else if (action === "change") {
      this.#editor.change(memory);
    } else if (action === "restore") {
      await this.#try(async () => {
        await sdk.approveMemory(memory.id);
        return `Approved again: ${memory.memory_content}`;
      }, "It was not approved again. If the memory that replaced it is still in use, delete that first.");
    } else if (action === "delete" && await askFor("Delete this memory?", memory.memory_content, "It will be deleted for good, and the same will not be remembered again.")) {
      await this.#try(async () => {
        await sdk.deleteMemory(memory.id);
        return `Deleted: ${memory.memory_content}`;
      }, "It was not deleted.");
    }
  }

  async #rejectAll() {
    const waiting = this.#memories.filter(({ status }) => status === "pending");
    if (await askFor("Reject all pending memories?", told(waiting), "None of them will be used, and the same will not be found again.", `Reject ${waiting.length}`)) {
      await this.#try(async () => {
        const ids = waiting.map(({ id }) => id);
        let rejected = 0;
        for (let from = 0; from < ids.length; from += maxDecisions) {
          /** @type {import("../../dist/chatsdk.d.ts").DecideMemoriesResponse} */
          const { results } = await this.#page.sdk.decideMemories({ action: "reject", memoryIds: ids.slice(from, from + maxDecisions) });
          rejected += results.filter(({ status }) => status === 200).length;
        }
        return `Rejected: ${count(rejected, "memory", "memories")}${others(ids.length - rejected, "was already decided", "were already decided")}`;
      }, "Not all were rejected.");
    }
  }

  async #deleteAll() {
    const memories = this.#memories;
    const text = "All will be deleted for good, whatever their status, and the same will not be remembered again.";
    const isSure = await askFor("Delete everything from here?", told(memories), text);
    if (isSure) {
      await this.#try(async () => {
        let deleted = 0;
        for (const { id } of memories) {
          deleted += await this.#page.sdk.deleteMemory(id).then(() => 1, ignoreMissing);
        }
        return `Deleted: ${count(deleted, "memory", "memories")}${others(memories.length - deleted, "was already deleted", "were already deleted")}`;
      }, "Not all were deleted.");
    }
  }

  /** @param {() => Promise<string>} work returns its outcome @param {string} failure */
  async #try(work, failure) {
    try {
      this.#page.done(await work());
      byId("source-title").focus();
    } catch (error) {
      this.#page.failed(error, failure);
    }
    this.#page.changed();
  }

  /** @param {string} action @returns {any} */
  #button(action) {
    return byId("source").querySelector(`[data-action=${action}]`);
  }

  tick() {
    for (const row of this.#rows.all) {
      row.tick();
    }
  }
}

/** The text that the question shows. @param {Memory[]} memories */
function told(memories) {
  return memories.map(({ memory_content: content }) => content).join("\n");
}

/** How many memories somebody else decided first; empty if there are none. @param {number} n @param {string} one @param {string} many */
function others(n, one, many) {
  return n === 0 ? "" : `; ${n} ${n === 1 ? one : many} elsewhere`;
}

/** Ignores that somebody else has already deleted the memory. @param {any} error */
function ignoreMissing(error) {
  if (error.status !== 404) {
    throw error;
  }
  return 0;
}

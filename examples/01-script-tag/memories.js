import { tell } from "./errors.js";
import { announce, askToDelete, byId, copyOf, part } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** The text for each status of a memory. @type {Record<string, string>} */
const statuses = { approved: "", pending: "waits for a review, not used yet", rejected: "rejected or replaced, not used" };
const order = Object.keys(statuses);

/** What the agents remember about the user, and the dialog that shows it. */
export class Memories {
  #page;
  #user;
  #dialog = byId("memories");
  #list = byId("memories-list");

  /** @param {import("./page.js").Page} page @param {() => string} user returns the user's id. */
  constructor(page, user) {
    this.#page = page;
    this.#user = user;
    byId("memories-close").addEventListener("click", () => this.#dialog.close());
    this.#list.addEventListener("click", (/** @type {any} */ { target }) => this.pressed(target));
  }

  /** The memories that an agent has about the user. @param {string} agent */
  of(agent) {
    return this.#page.sdk.listUserMemories(agent, this.#user());
  }

  /** Shows the dialog with all of them. */
  async open() {
    const status = byId("memories-status");
    this.#list.replaceChildren();
    status.textContent = "Loading …";
    this.#dialog.showModal();
    try {
      const { agents } = await this.#page.sdk.listAgents();
      const memories = (await Promise.all(agents.map(({ id }) => this.of(id)))).flat();
      memories.sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
      this.#list.replaceChildren(...memories.map((memory) => item(memory.id, memory)));
      status.textContent = memories.length > 0 ? "" : "Nothing is remembered about you yet.";
    } catch (error) {
      status.textContent = tell(error, "Your memories could not be loaded.");
    }
  }

  /** Deletes the memory whose button was pressed, after a confirmation. @param {Element} target */
  async pressed(target) {
    const element = /** @type {HTMLElement | null} */ (target.closest("[data-action=forget]")?.closest("[data-memory]") ?? null);
    const content = element && part(element, "memory").textContent;
    if (element === null || !(await askToDelete("Delete this memory?", content, " will no longer be used, and will not be remembered again."))) {
      return;
    }
    try {
      await this.#page.sdk.deleteMemory(element.dataset["memory"] ?? "");
    } catch (/** @type {any} */ error) {
      if (error.status !== 404) {
        part(element, "memory-status").textContent = tell(error, "It was not deleted.");
        return;
      }
    }
    element.focus();
    for (const one of document.querySelectorAll(`[data-memory="${CSS.escape(element.dataset["memory"] ?? "")}"]`)) {
      fill(one, undefined);
    }
    announce("The memory is deleted.");
  }
}

/** The memories in the prompt of an answer: how many there are and, once it is opened, which. */
export class UsedMemories {
  #element;
  #page;
  #agent = "";
  /** @type {string[]} */
  #ids = [];

  /** @param {any} element a details element @param {import("./page.js").Page} page */
  constructor(element, page) {
    this.#element = element;
    this.#page = page;
    element.addEventListener("toggle", () => element.open && this.#load());
    element.addEventListener("click", (/** @type {any} */ { target }) => page.memories.pressed(target));
  }

  /** @param {string | undefined} agent @param {string[]} ids */
  show(agent, ids) {
    [this.#agent, this.#ids] = [agent ?? "", ids];
    this.#element.hidden = ids.length === 0 || agent === undefined;
    this.#element.querySelector("summary").textContent = `${ids.length} ${ids.length === 1 ? "memory" : "memories"} at hand`;
  }

  async #load() {
    const status = part(this.#element, "used-status");
    try {
      const known = new Map((await this.#page.memories.of(this.#agent)).map((memory) => [memory.id, memory]));
      this.#element.querySelector("ul").replaceChildren(...this.#ids.map((id) => item(id, known.get(id))));
      status.textContent = "";
    } catch (error) {
      status.textContent = tell(error, "The memories could not be loaded.");
    }
    this.#page.grew();
  }
}

/** @param {string} id @param {Memory | undefined} memory */
function item(id, memory) {
  const element = copyOf("memory");
  element.dataset.memory = id;
  fill(element, memory);
  return element;
}

/** Shows a memory in its element, or says that it is deleted. @param {any} element @param {Memory | undefined} memory */
function fill(element, memory) {
  element.dataset.state = memory?.status ?? "deleted";
  part(element, "memory").textContent = memory?.memory_content ?? "deleted";
  part(element, "memory-status").textContent = statuses[memory?.status ?? ""] ?? "";
  const button = element.querySelector("button");
  button.hidden = memory === undefined;
  button.ariaLabel = `Delete “${memory?.memory_content}”`;
}

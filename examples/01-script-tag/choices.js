import { byId } from "./page.js";

/**
 * What a chat's answers are asked of. Documents are "all", "none" or keys.
 * @typedef {{agent?: string, model?: string, documents: "all" | "none" | string[]}} Choice
 */

const storageKey = "chatsdk-demo-choices";

/** Which agent, model and documents answer in each chat, for as long as the tab lives. */
export class Choices {
  #agents;
  /** @type {Map<string, Choice>} */
  #choices = new Map(Object.entries(JSON.parse(sessionStorage.getItem(storageKey) ?? "{}")));
  #id = "";
  /** @type {[any, "agent" | "model"][]} */
  #pickers = [[byId("agent-choice"), "agent"], [byId("model-choice"), "model"]];

  /** @param {import("./agents.js").Agents} agents */
  constructor(agents) {
    this.#agents = agents;
    for (const [select, name] of this.#pickers) {
      select.addEventListener("change", () => this.set(this.#id, { [name]: select.value || undefined }));
    }
  }

  /** Offers what the service has. One of a kind is nothing to choose from. */
  offer() {
    const { all: [first, ...agents], models } = this.#agents;
    const [[agent], [model]] = /** @type {any} */ (this.#pickers);
    agent.replaceChildren(new Option(first?.name ?? "", ""), ...agents.map(({ id, name }) => new Option(name, id)));
    agent.hidden = agents.length === 0;
    model.replaceChildren(new Option("Default model", ""), ...models.map((name) => new Option(name, name)));
    model.hidden = models.length < 2;
    this.show(this.#id);
  }

  /** The choice of a chat; an empty id means a new chat. @param {string} id @returns {Choice} */
  of(id) {
    return this.#choices.get(id) ?? { documents: "all" };
  }

  /** Shows those of a chat. @param {string} id */
  show(id) {
    this.#id = id;
    const choice = this.of(id);
    for (const [select, name] of this.#pickers) {
      select.value = choice[name] ?? "";
      if (select.selectedIndex < 0) {
        select.value = ""; // it is offered no more
      }
    }
    byId("documents-choice").lastChild.textContent = label(choice.documents);
    byId("agent").textContent = this.#agents.describe(choice.agent, choice.model);
  }

  /** Changes some of it. @param {string} id @param {Partial<Choice>} change */
  set(id, change) {
    this.#choices.set(id, { ...this.of(id), ...change });
    this.#store();
    if (id === this.#id) {
      this.show(id);
    }
  }

  /** Chooses one document more, at first it alone. @param {string} id @param {string} key */
  add(id, key) {
    const { documents } = this.of(id);
    this.set(id, { documents: [...(Array.isArray(documents) ? documents : []), key] });
  }

  /** Takes back a document that is deleted. @param {string} key */
  forget(key) {
    for (const [id, { documents }] of this.#choices) {
      if (Array.isArray(documents) && documents.includes(key)) {
        const left = documents.filter((one) => one !== key);
        this.set(id, { documents: left.length > 0 ? left : "all" });
      }
    }
  }

  /** Gives those of a new chat to the chat that it became. @param {string} id */
  settle(id) {
    const choice = this.#choices.get("");
    if (choice !== undefined) {
      this.#choices.set(id, choice);
      this.#choices.delete("");
      this.#store();
    }
  }

  /** What a message says of it. @param {string} id @returns {import("../../dist/chatsdk.d.ts").SendMessageOptions} */
  options(id) {
    const { agent, model, documents } = this.of(id);
    return {
      agentId: this.#agents.all.some((one) => one.id === agent) ? agent : undefined,
      modelName: model !== undefined && this.#agents.models.includes(model) ? model : undefined,
      useKnowledgebase: documents !== "none",
      documentKeys: Array.isArray(documents) ? documents : undefined,
    };
  }

  #store() {
    sessionStorage.setItem(storageKey, JSON.stringify(Object.fromEntries(this.#choices)));
  }
}

/** @param {Choice["documents"]} documents */
function label(documents) {
  if (Array.isArray(documents)) {
    return documents.length === 1 ? "1 document" : `${documents.length} documents`;
  }
  return documents === "all" ? "All documents" : "No documents";
}

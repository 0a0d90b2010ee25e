import { byId } from "./page.js";

/**
 * Who answers in a chat, and from what. Documents are "all", "none" or keys.
 * @typedef {{agent?: string, model?: string, documents: "all" | "none" | string[]}} Choice
 */

const storageKey = "chatsdk-demo-choices";

/** The agent, model and documents of each chat. They are kept until the tab is closed. */
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

  /** Offers the service's agents. A list with only one is hidden. */
  offer() {
    const { all: [first, ...agents] } = this.#agents;
    const [[agent]] = /** @type {any} */ (this.#pickers);
    agent.replaceChildren(new Option(first?.name ?? "", ""), ...agents.map(({ id, name }) => new Option(name, id)));
    agent.hidden = agents.length === 0;
    this.show(this.#id);
  }

  /** Offers the models of an agent. A list with only one is hidden. @param {string} [agent] */
  #offerModels(agent) {
    const models = this.#agents.modelsOf(agent);
    const [, [model]] = /** @type {any} */ (this.#pickers);
    model.replaceChildren(new Option("Default model", ""), ...models.map((name) => new Option(name, name)));
    model.hidden = models.length < 2;
  }

  /** The choice of a chat; an empty id means a new chat. @param {string} id @returns {Choice} */
  of(id) {
    return this.#choices.get(id) ?? { documents: "all" };
  }

  /** Shows the choice of a chat. @param {string} id */
  show(id) {
    this.#id = id;
    const choice = this.of(id);
    this.#offerModels(choice.agent);
    for (const [select, name] of this.#pickers) {
      select.value = choice[name] ?? "";
      if (select.selectedIndex < 0) {
        select.value = ""; // the service no longer offers it
      }
    }
    byId("documents-choice").lastChild.textContent = label(choice.documents);
    byId("agent").textContent = this.#agents.describe(choice.agent, this.#model(choice));
  }

  /** Changes a part of a chat's choice. @param {string} id @param {Partial<Choice>} change */
  set(id, change) {
    this.#choices.set(id, { ...this.of(id), ...change });
    this.#store();
    if (id === this.#id) {
      this.show(id);
    }
  }

  /** Adds one document to the choice. If all or none were chosen, then only this one is. @param {string} id @param {string} key */
  add(id, key) {
    const { documents } = this.of(id);
    this.set(id, { documents: [...(Array.isArray(documents) ? documents : []), key] });
  }

  /** Removes a deleted document from all choices. @param {string} key */
  forget(key) {
    for (const [id, { documents }] of this.#choices) {
      if (Array.isArray(documents) && documents.includes(key)) {
        const left = documents.filter((one) => one !== key);
        this.set(id, { documents: left.length > 0 ? left : "all" });
      }
    }
  }

  /** Moves the choice of the new chat to the chat that was created. @param {string} id */
  settle(id) {
    const choice = this.#choices.get("");
    if (choice !== undefined) {
      this.#choices.set(id, choice);
      this.#choices.delete("");
      this.#store();
    }
  }

  /** The chosen model, unless the agent no longer has it. @param {Choice} choice */
  #model({ agent, model }) {
    return model !== undefined && this.#agents.modelsOf(agent).includes(model) ? model : undefined;
  }

  /** The options of a message for this choice. @param {string} id @returns {import("../../dist/chatsdk.d.ts").SendMessageOptions} */
  options(id) {
    const choice = this.of(id);
    const { agent, documents } = choice;
    return {
      agentId: this.#agents.all.some((one) => one.id === agent) ? agent : undefined,
      modelName: this.#model(choice),
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

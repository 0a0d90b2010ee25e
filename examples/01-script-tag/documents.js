import { tell } from "./errors.js";
import { announce, askToDelete, byId, copyOf, part } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").ListedDocument} ListedDocument */

/** The text for each status of a document. @type {Record<string, string>} */
const statuses = { synced: "", queued: "is being read", failed: "cannot be read" };

/** The dialog to choose and delete the documents of a chat. */
export class Documents {
  #page;
  #dialog = byId("documents");
  #list = byId("documents-list");
  #chat = "";
  /** The chosen documents, shown or not. @type {Set<string>} */
  #keys = new Set();
  /** Counts the searches, so that a list that arrives too late is noticed. */
  #turn = 0;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    byId("documents-close").addEventListener("click", () => this.#dialog.close());
    byId("documents-search").addEventListener("input", () => this.#load());
    this.#list.addEventListener("click", (/** @type {any} */ { target }) => this.#pressed(target.closest("[data-action=delete]")?.parentElement));
    this.#dialog.addEventListener("change", (/** @type {any} */ { target }) => this.#changed(target));
  }

  /** @param {string} chat its id, or an empty one */
  open(chat) {
    this.#chat = chat;
    const { documents } = this.#page.choices.of(chat);
    this.#keys = new Set(Array.isArray(documents) ? documents : []);
    this.#mark(Array.isArray(documents) ? "some" : documents);
    byId("documents-search").value = "";
    this.#list.replaceChildren();
    this.#dialog.showModal();
    void this.#load();
  }

  async #load() {
    const turn = ++this.#turn;
    const status = byId("documents-status");
    status.textContent = "Loading …";
    try {
      const { docs, total } = await this.#page.sdk.listDocuments({ itemsPerPage: 100, nameSearch: byId("documents-search").value.trim() || undefined });
      if (turn === this.#turn) {
        this.#list.replaceChildren(...docs.map((document) => this.#item(document)));
        status.textContent = total === 0 ? "There are no documents." : total > docs.length ? `${docs.length} of ${total}: search for the others.` : "";
      }
    } catch (error) {
      if (turn === this.#turn) {
        status.textContent = tell(error, "The documents could not be loaded.");
      }
    }
  }

  /** @param {ListedDocument} document */
  #item({ content_key: key, title, name, status, error }) {
    const item = copyOf("document");
    item.dataset.document = key;
    item.dataset.state = status;
    part(item, "title").textContent = title;
    part(item, "about").textContent = [title === name ? "" : name, error ?? statuses[status]].filter(Boolean).join(" · ");
    const box = item.querySelector("input");
    [box.value, box.checked, box.disabled] = [key, this.#keys.has(key), status === "failed"];
    item.querySelector("button").ariaLabel = `Delete “${title}”`;
    return item;
  }

  /** Deletes the document whose button was pressed, after a confirmation. @param {HTMLElement | undefined} item */
  async #pressed(item) {
    if (item === undefined) {
      return;
    }
    const [key = "", title] = [item.dataset["document"], part(item, "title").textContent];
    if (!(await askToDelete("Delete this document?", title, " will no longer be quoted in any chat. Answers keep what they quoted."))) {
      return;
    }
    try {
      await this.#page.sdk.deleteDocument(key);
    } catch (/** @type {any} */ error) {
      if (error.status !== 404) {
        byId("documents-status").textContent = tell(error, `“${title}” was not deleted.`);
        return;
      }
    }
    const neighbour = item.nextElementSibling ?? item.previousElementSibling;
    item.remove();
    (neighbour?.querySelector("button") ?? byId("documents-search")).focus();
    this.#page.choices.forget(key);
    if (this.#keys.delete(key) && this.#keys.size === 0) {
      this.#mark("all");
    }
    for (const attached of document.querySelectorAll(`#attachments [data-document="${CSS.escape(key)}"]`)) {
      part(attached, "state").textContent = "is deleted";
    }
    announce(`“${title}” is deleted.`);
  }

  /** @param {HTMLInputElement} input a document, or which of them */
  #changed({ type, value, checked }) {
    if (type === "checkbox") {
      checked ? this.#keys.add(value) : this.#keys.delete(value);
      this.#choose(this.#keys.size > 0 ? "some" : "all");
    } else if (type === "radio") {
      this.#choose(value);
    }
  }

  /** @param {string} which */
  #choose(which) {
    this.#mark(which);
    const documents = which === "some" ? [...this.#keys] : which === "none" ? "none" : "all";
    this.#page.choices.set(this.#chat, { documents });
  }

  /** @param {string} which all, none or some */
  #mark(which) {
    this.#dialog.querySelector(`input[value=${which}]`).checked = true;
  }
}

import { explain } from "./errors.js";
import { byId, part, write } from "./page.js";

const dialog = byId("editor");
const form = dialog.querySelector("form");

/** A dialog in which an administrator writes a memory by hand, or changes one. */
export class Editor {
  #page;
  /** Sends the memory that was written. @type {(memory: {memoryContent: string, memoryType: string}) => Promise<string>} */
  #send = async () => "";
  /** Counts the openings: when a request ends, the dialog may be closed, or open for another memory. */
  #opened = 0;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#submit();
    });
    dialog.querySelector("[data-action=cancel]").addEventListener("click", () => dialog.close());
  }

  /** Writes a memory of a user. If no user is given, the dialog asks for one. @param {string} agent @param {string} user */
  add(agent, user) {
    this.#open("Add a memory", "It is approved at once, in place of what it contradicts, and marked as written by an administrator.", "Add", true);
    form.elements.user.value = user;
    this.#send = async (memory) => {
      const of = form.elements.user.value.trim();
      await this.#page.sdk.createMemory(agent, of, memory);
      return `Added for ${of}: ${memory.memoryContent}`;
    };
    (user === "" ? form.elements.user : form.elements.content).focus();
  }

  /** @param {import("../../dist/chatsdk.d.ts").Memory} memory */
  change({ id, memory_content: content, memory_type: type }) {
    this.#open("Edit this memory", "The old statement is kept with it, and so is your name.", "Save", false);
    [form.elements.content.value, form.elements.type.value] = [content, type];
    this.#send = async (memory) => {
      await this.#page.sdk.updateMemory(id, memory);
      return `Saved: ${memory.memoryContent}`;
    };
    form.elements.content.focus();
  }

  /** @param {string} title @param {string} text @param {string} button @param {boolean} needsUser */
  #open(title, text, button, needsUser) {
    form.reset();
    form.elements.submit.disabled = false;
    this.#opened += 1;
    write(byId("editor-title"), title);
    write(byId("editor-text"), text);
    write(form.elements.submit, button);
    form.elements.user.closest("label").hidden = !needsUser;
    write(part(form, "error"), "");
    dialog.showModal();
  }

  async #submit() {
    const { user, content, type, submit } = form.elements;
    const memoryContent = content.value.replaceAll(/\s+/g, " ").trim();
    const needsUser = !user.closest("label").hidden;
    if (memoryContent === "" || needsUser && user.value.trim() === "") {
      write(part(form, "error"), memoryContent === "" ? "Write what the agent should remember." : "Name the user it is about.");
      (memoryContent === "" ? content : user).focus();
      return;
    }
    const opened = this.#opened;
    const isHere = () => dialog.open && opened === this.#opened;
    submit.disabled = true;
    try {
      const outcome = await this.#send({ memoryContent, memoryType: type.value });
      if (isHere()) {
        dialog.close();
      }
      this.#page.done(outcome);
    } catch (/** @type {any} */ error) {
      if (isHere()) {
        write(part(form, "error"), refusal(error));
      } else {
        this.#page.failed(error, `Not saved: ${memoryContent}`);
      }
      if (error.status === 401) {
        dialog.close();
        this.#page.refused(error);
      }
    }
    if (isHere()) {
      submit.disabled = false;
    }
    this.#page.changed();
  }
}

/** @param {any} error */
function refusal(error) {
  const { text, details } = explain(error);
  if (error.status === 400) {
    return `${error.message}.`;
  }
  return error.status === 409 ? `Nothing was changed: ${error.message}.` : `${text} (${details})`;
}

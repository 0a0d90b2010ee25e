import { isComposing } from "./keys.js";
import { askToDelete, byId, copyOf, notify, part } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Chat} Chat */

/** The list of chats, the most recently used first. */
export class ChatList {
  #page;
  #element = byId("chats");
  /** @type {Map<string, any>} */
  #items = new Map();
  /** @type {number | undefined} */
  #cursor;
  #isLoading = false;
  #selected = "";

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.#element.addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("button")?.dataset.action;
      const id = target.closest("li")?.dataset.chat;
      if (action === "rename") {
        this.#edit(id);
      } else if (action === "delete") {
        void this.#delete(id);
      }
    });
    byId("more").addEventListener("click", () => this.more());
  }

  /** Adds the next page of chats. */
  async more() {
    if (this.#isLoading) {
      return;
    }
    this.#isLoading = true;
    notify("");
    this.#element.ariaBusy = "true";
    try {
      this.#add(await this.#page.sdk.listChats(this.#cursor));
    } catch (error) {
      this.#page.failed(error, "", "The chats could not be loaded.");
      this.#offer("Try again");
    }
    this.#element.ariaBusy = "false";
    this.#isLoading = false;
  }

  /** @param {import("../../dist/chatsdk.d.ts").ListChatsResponse} page */
  #add({ chats, next_cursor: cursor }) {
    this.#cursor = cursor;
    const items = chats.filter(({ chat_id: id }) => !this.#items.has(id)).map((chat) => this.#item(chat));
    this.#element.append(...items);
    if (document.activeElement === byId("more")) {
      items[0]?.querySelector("a").focus(); // the reader continues there, and the button may disappear
    }
    this.#offer(cursor === undefined ? "" : "Show more");
    this.#count();
  }

  /** @param {string} label of the button, which is hidden without one */
  #offer(label) {
    byId("more").hidden = label === "";
    byId("more").textContent = label;
  }

  #count() {
    byId("no-chats").hidden = this.#items.size > 0;
  }

  /** @param {{chat_id: string, name: string}} chat */
  #item({ chat_id: id, name }) {
    const item = copyOf("chat");
    item.dataset.chat = id;
    part(item, "name").href = `#${id}`;
    this.#items.set(id, item);
    this.name(id, name);
    this.select(this.#selected);
    return item;
  }

  /** The name of a chat, empty if the list does not have the chat yet. @param {string} id @returns {string} */
  nameOf(id) {
    return this.#items.get(id)?.dataset.name ?? "";
  }

  /** Sets the name of a chat. @param {string} id @param {string} name */
  name(id, name) {
    const item = this.#items.get(id);
    if (item !== undefined) {
      item.dataset.name = part(item, "name").textContent = name;
      item.querySelector("[data-action=rename]").ariaLabel = `Rename “${name}”`;
      item.querySelector("[data-action=delete]").ariaLabel = `Delete “${name}”`;
    }
  }

  /** Moves a chat to the top, as the service does when it is used. @param {{chat_id: string, name: string}} chat */
  raise(chat) {
    const item = this.#items.get(chat.chat_id) ?? this.#item(chat);
    if (item !== this.#element.firstElementChild) {
      const focused = item.contains(document.activeElement) ? document.activeElement : undefined;
      this.#element.prepend(item);
      /** @type {any} */ (focused)?.focus();
    }
    this.#count();
  }

  /** Marks the chat that is shown. @param {string} id */
  select(id) {
    this.#selected = id;
    for (const [key, item] of this.#items) {
      part(item, "name").ariaCurrent = key === id ? "page" : null;
    }
  }

  /** Shows whether an answer is being written in a chat. @param {string} id @param {boolean} isWriting */
  mark(id, isWriting) {
    this.#items.get(id)?.toggleAttribute("data-writing", isWriting);
  }

  /** @param {string} id */
  remove(id) {
    this.#items.get(id)?.remove();
    this.#items.delete(id);
    this.#count();
  }

  /** Replaces a name by a field. Enter, or leaving the field, stores the name; Escape does not. @param {string} id */
  #edit(id) {
    const link = part(this.#items.get(id), "name");
    const field = document.createElement("input");
    Object.assign(field, { value: this.nameOf(id), maxLength: 200, dir: "auto", ariaLabel: "Name of the chat" });
    const end = (/** @type {string} */ name) => {
      const hadFocus = document.activeElement === field;
      field.onblur = null; // removing the field would call it
      field.remove();
      link.hidden = false;
      if (hadFocus) {
        link.focus();
      }
      void this.#rename(id, name.trim());
    };
    field.onblur = () => end(field.value);
    field.onkeydown = (event) => {
      if (event.key === "Enter" && !isComposing(event)) {
        end(field.value);
      } else if (event.key === "Escape" && !isComposing(event)) {
        event.stopPropagation();
        end("");
      }
    };
    link.hidden = true;
    link.before(field);
    field.select();
  }

  /** @param {string} id @param {string} name */
  async #rename(id, name) {
    const before = this.nameOf(id);
    if (name === "" || name === before) {
      return;
    }
    this.#page.named(id, name);
    try {
      await this.#page.sdk.updateChatName(id, name);
      this.raise({ chat_id: id, name });
    } catch (error) {
      this.#page.named(id, before);
      this.#page.failed(error, id, `“${before}” was not renamed.`);
    }
  }

  /** @param {string} id */
  async #delete(id) {
    const name = this.nameOf(id);
    if (!(await askToDelete("Delete this chat?", name, " and all its messages will be gone for good."))) {
      return;
    }
    try {
      await this.#page.sdk.deleteChat(id);
    } catch (/** @type {any} */ error) {
      if (error.status !== 404) {
        this.#page.failed(error, id, `“${name}” was not deleted.`);
        return;
      }
    }
    const item = this.#items.get(id);
    const neighbour = item?.nextElementSibling ?? item?.previousElementSibling;
    this.remove(id);
    this.#page.deleted(id);
    (neighbour?.querySelector("a") ?? byId("new")).focus();
  }
}

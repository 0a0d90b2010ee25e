// What the parts of the page share.

/**
 * The functions of the page that the list and the chats use.
 * @typedef {object} Page
 * @property {import("../../dist/chatsdk.d.ts").ChatSDK} sdk
 * @property {import("./agents.js").Agents} agents
 * @property {import("./memories.js").Memories} memories
 * @property {import("./choices.js").Choices} choices
 * @property {import("./sources.js").Passage} passage
 * @property {(view: import("./view.js").ChatView, signal: AbortSignal) => Promise<void>} create creates the chat of a view without one.
 * @property {(id: string) => void} used A message was sent to the chat.
 * @property {(id: string, name: string) => void} named The chat has this name.
 * @property {(view: import("./view.js").ChatView) => void} changed The view's state has changed.
 * @property {(id: string) => void} begun An answer is being written in the chat.
 * @property {(message: import("../../dist/chatsdk.d.ts").Message) => void} answered An answer has ended.
 * @property {() => void} grew A message has become longer.
 * @property {() => void} jump Scrolls to the end.
 * @property {(element: Element, top: number) => void} stay An element has replaced another one, whose top was at this height.
 * @property {(error: any, id: string, what?: string) => void} failed An error of a chat, or of none (id ""); what says what failed.
 * @property {(call: import("../../dist/chatsdk.d.ts").ToolCall) => void} decided A call was decided, here or elsewhere.
 * @property {(text: string, images: File[]) => void} putBack Puts the text and the images back into the message form.
 * @property {() => void} focus The element with the focus is gone.
 * @property {(id: string) => void} deleted The chat was deleted.
 */

/** The element with an id, which index.html has. @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id);
}

/** The part of an element with that name. @param {Element} element @param {string} name @returns {any} */
export function part(element, name) {
  return element.querySelector(`[data-part=${name}]`);
}

/** A copy of a template's content. @param {string} name @returns {any} */
export function copyOf(name) {
  return byId(`${name}-template`).content.firstElementChild.cloneNode(true);
}

/** Makes a screen reader say something when it is idle. @param {string} text */
export function announce(text) {
  byId("announcer").replaceChildren(text);
}

/**
 * Shows a text above the messages until it is dismissed. By default it is a failure.
 * @param {string} text hides it if empty. @param {"failure" | "news"} [kind]
 */
export function notify(text, kind = "failure") {
  part(byId("notice"), "text").textContent = text;
  byId("notice").dataset.kind = kind;
  byId("notice").hidden = text === "";
}

/**
 * Asks whether to delete something.
 * @param {string} title @param {string} name @param {string} rest what follows the name @returns {Promise<boolean>}
 */
export function askToDelete(title, name, rest) {
  const dialog = byId("confirm");
  byId("confirm-title").textContent = title;
  part(dialog, "name").textContent = name;
  part(dialog, "rest").textContent = rest;
  dialog.returnValue = "";
  dialog.onclick = (/** @type {any} */ { target }) => target.dataset.action && dialog.close(target.dataset.action);
  dialog.showModal();
  return new Promise((resolve) => {
    // The close event of an earlier question can arrive after the dialog is open again.
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "confirm");
  });
}

/** Makes the list of chats a drawer on narrow screens. Returns the function that closes it. */
export function drawer() {
  const [menu, main] = [byId("menu"), byId("main")];
  const open = (/** @type {boolean} */ isOpen) => {
    document.body.classList.toggle("drawer-open", isOpen);
    menu.setAttribute("aria-expanded", String(isOpen));
    main.inert = isOpen;
    byId(isOpen ? "close" : "menu").focus();
  };
  const close = () => main.inert && open(false);
  menu.addEventListener("click", () => open(true));
  byId("close").addEventListener("click", close);
  byId("backdrop").addEventListener("click", close);
  matchMedia("(min-width: 45rem)").addEventListener("change", close);
  return close;
}

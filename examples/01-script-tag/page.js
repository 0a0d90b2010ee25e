// What the parts of the page share.

/**
 * What the list and the chats need of the page.
 * @typedef {object} Page
 * @property {import("../../dist/chatsdk.d.ts").ChatSDK} sdk
 * @property {import("./agents.js").Agents} agents
 * @property {import("./memories.js").Memories} memories
 * @property {import("./choices.js").Choices} choices
 * @property {import("./sources.js").Passage} passage
 * @property {(view: import("./view.js").ChatView, signal: AbortSignal) => Promise<void>} create makes the chat of a view that has none.
 * @property {(id: string) => void} used A message went to the chat.
 * @property {(id: string, name: string) => void} named The chat has this name.
 * @property {(view: import("./view.js").ChatView) => void} changed The view has another state.
 * @property {(id: string) => void} begun An answer is being written in the chat.
 * @property {(message: import("../../dist/chatsdk.d.ts").Message) => void} answered An answer has ended.
 * @property {() => void} grew A message has become longer.
 * @property {() => void} jump What comes last is of interest.
 * @property {(element: Element, top: number) => void} stay An element has taken another one's place, so far from the top.
 * @property {(error: any, id: string, what?: string) => void} failed An error of the chat, or of none; what is said of it, if anything.
 * @property {(call: import("../../dist/chatsdk.d.ts").ToolCall) => void} decided A call was decided here, or had been elsewhere.
 * @property {(text: string, images: File[]) => void} putBack They go back to where the message was written.
 * @property {() => void} focus What had the focus is gone.
 * @property {(id: string) => void} deleted The chat is gone.
 */

/** The element with an id, which index.html has. @param {string} id @returns {any} */
export function byId(id) {
  return document.getElementById(id);
}

/** The part of that name in an element. @param {Element} element @param {string} name @returns {any} */
export function part(element, name) {
  return element.querySelector(`[data-part=${name}]`);
}

/** A copy of what a template holds. @param {string} name @returns {any} */
export function copyOf(name) {
  return byId(`${name}-template`).content.firstElementChild.cloneNode(true);
}

/** Has a screen reader say something when it is silent. @param {string} text */
export function announce(text) {
  byId("announcer").replaceChildren(text);
}

/**
 * Shows something above the messages, by default what went wrong, until it is dismissed.
 * @param {string} text hides it where empty. @param {"failure" | "news"} [kind]
 */
export function notify(text, kind = "failure") {
  part(byId("notice"), "text").textContent = text;
  byId("notice").dataset.kind = kind;
  byId("notice").hidden = text === "";
}

/**
 * Asks whether something is to be deleted.
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
    // The event of an earlier close can come after the dialog is open again.
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "confirm");
  });
}

/** Makes the list of chats a drawer, which shows on narrow screens alone, and gives what closes it. */
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

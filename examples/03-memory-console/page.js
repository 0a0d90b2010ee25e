// What the parts of the page share.

/**
 * What the views need of the page.
 * @typedef {object} Page
 * @property {any} sdk the ChatSDK of who is signed in
 * @property {string} user the id of who is signed in
 * @property {() => void} changed Something was changed here: the page asks how things are.
 * @property {(text: string) => void} done tells of an outcome.
 * @property {(error: any, what: string) => void} failed tells of a failure, and of what came to nothing.
 * @property {(error: any) => void} refused The service does not take the token any more.
 * @property {(path: string, body: object) => void} leave posts while the page goes away.
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

/** Gives an element its text, and leaves alone what is right: a selection in it stays. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** A number and what is counted. @param {number} n @param {string} one @param {string} many */
export function count(n, one, many) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Shows above the views what went wrong, until it is dismissed. @param {string} text hides it where empty. */
export function notify(text) {
  write(part(byId("notice"), "text"), text);
  byId("notice").hidden = text === "";
}

/**
 * Asks whether something is to be done. The focus comes back to where it was.
 * @param {string} title @param {string} what is named as it is @param {string} text @param {string} [action] on the button
 * @returns {Promise<boolean>}
 */
export function askFor(title, what, text, action = "Delete") {
  const dialog = byId("confirm");
  const button = dialog.querySelector("[data-action=confirm]");
  write(byId("confirm-title"), title);
  write(dialog.querySelector("blockquote"), what);
  write(byId("confirm-text"), text);
  write(button, action);
  button.className = action === "Delete" ? "danger" : "first";
  dialog.returnValue = "";
  dialog.onclick = (/** @type {any} */ { target }) => target.dataset.action && dialog.close(target.dataset.action);
  dialog.showModal();
  return new Promise((resolve) => {
    // The event of an earlier close can come after the dialog is open again.
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "confirm");
  });
}

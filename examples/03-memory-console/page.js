// What the parts of the page share.

/**
 * What the views need from the page.
 * @typedef {object} Page
 * @property {any} sdk the ChatSDK of the signed-in user
 * @property {string} user the id of the signed-in user
 * @property {() => void} changed Something was changed here: the page loads its data again.
 * @property {(text: string) => void} done shows an outcome.
 * @property {(error: any, what: string) => void} failed shows a failure; what says what was not done.
 * @property {(error: any) => void} refused The service no longer accepts the token.
 * @property {(path: string, body: object) => void} leave sends a POST while the page is being left.
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

/** Sets the text of an element. An equal text is not set again, so that a selection stays. @param {Element} element @param {string} text */
export function write(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** A number with the word for what it counts. @param {number} n @param {string} one @param {string} many */
export function count(n, one, many) {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

/** Shows a failure above the views until it is dismissed. @param {string} text hides it if empty. */
export function notify(text) {
  write(part(byId("notice"), "text"), text);
  byId("notice").hidden = text === "";
}

/**
 * Asks for a confirmation. The focus then returns to where it was.
 * @param {string} title @param {string} what is quoted as it is @param {string} text @param {string} [action] on the button
 * @param {string[]} [list] below the text
 * @returns {Promise<boolean>}
 */
export function askFor(title, what, text, action = "Delete", list = []) {
  const dialog = byId("confirm");
  const button = dialog.querySelector("[data-action=confirm]");
  write(byId("confirm-title"), title);
  write(dialog.querySelector("blockquote"), what);
  write(byId("confirm-text"), text);
  byId("confirm-list").replaceChildren(...list.map((line) => Object.assign(document.createElement("li"), { textContent: line })));
  write(button, action);
  button.className = action === "Delete" ? "danger" : "first";
  dialog.returnValue = "";
  dialog.onclick = (/** @type {any} */ { target }) => target.dataset.action && dialog.close(target.dataset.action);
  dialog.showModal();
  return new Promise((resolve) => {
    // The close event of an earlier question can arrive after the dialog is open again.
    dialog.onclose = () => dialog.open || resolve(dialog.returnValue === "confirm");
  });
}

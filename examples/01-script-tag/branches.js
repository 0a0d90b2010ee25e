import { copyOf, part } from "./page.js";

/** The number of a message among its versions, with arrows to the others. */
export class Branches {
  element = copyOf("branches");
  /** The ids of all versions, oldest first. @type {readonly string[]} */
  #siblings = [];
  #at = 0;

  constructor() {
    this.element.addEventListener("keydown", (/** @type {KeyboardEvent} */ { key }) => {
      const action = { ArrowLeft: "before", ArrowRight: "after" }[key];
      action && this.#button(action).click();
    });
  }

  /** Shows the versions that a history lists. @param {{id: string, siblings?: readonly string[]}} message */
  show({ id, siblings = this.#siblings.includes(id) ? this.#siblings : [id] }) {
    this.#siblings = siblings;
    this.#at = siblings.indexOf(id);
    this.element.hidden = siblings.length < 2;
    part(this.element, "place").textContent = `${this.#at + 1} of ${siblings.length}`;
    this.#button("before").disabled = this.next(-1) === undefined;
    this.#button("after").disabled = this.next(1) === undefined;
  }

  /** A new version was stored as another version of an old one. @param {Branches} elder @param {string} id */
  standBeside(elder, id) {
    const siblings = elder.#siblings.filter((one) => one !== id);
    this.show({ id, siblings: [...siblings, id] });
  }

  /** @param {number} step @returns {string | undefined} */
  next(step) {
    return this.#siblings[this.#at + step];
  }

  /** @param {string} action */
  focus(action) {
    const button = this.#button(action);
    (button.disabled ? this.#button(action === "before" ? "after" : "before") : button).focus();
  }

  /** @param {string} action @returns {HTMLButtonElement} */
  #button(action) {
    return this.element.querySelector(`[data-action=${action}]`);
  }
}

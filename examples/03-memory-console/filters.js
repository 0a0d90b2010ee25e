import { address, route } from "./route.js";

/** The filters and the order of a view. The address stores them. */
export class Filters {
  #form;
  #view;
  #changed;

  /** @param {any} form its fields have the names of filters @param {string} view @param {() => void} changed */
  constructor(form, view, changed) {
    this.#form = form;
    this.#view = view;
    this.#changed = changed;
    form.addEventListener("change", () => this.#go());
    form.addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
    form.addEventListener("reset", (/** @type {Event} */ event) => {
      event.preventDefault();
      location.hash = address(route().agent, view);
    });
  }

  /** Shows the filters of the address in the fields. */
  fill() {
    const { filters, view } = route();
    for (const field of this.#fields()) {
      const value = view === this.#view ? filters[field.name] ?? "" : "";
      if (field.value !== value) {
        field.value = value;
      }
    }
  }

  #go() {
    const values = Object.fromEntries(this.#fields().map(({ name, value }) => [name, value]));
    history.replaceState(null, "", address(route().agent, this.#view, values));
    this.#changed();
  }

  /** @returns {any[]} */
  #fields() {
    return [...this.#form.elements].filter(({ name }) => name !== "");
  }
}

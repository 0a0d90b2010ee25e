/**
 * A list in the page that follows a list of data. It keeps the rows by id, so that focus, selection
 * and scrolling survive a change.
 * @template {{id: string}} Item
 * @template {{element: HTMLElement, show(item: Item): void}} Row
 */
export class Rows {
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #element;
  #make;
  /** @type {Item[]} */
  #items = [];

  /** @param {HTMLElement} element @param {(item: Item) => Row} make */
  constructor(element, make) {
    this.#element = element;
    this.#make = make;
  }

  /** The rows in their order. @returns {Row[]} */
  get all() {
    return this.#items.flatMap(({ id }) => this.#rows.get(id) ?? []);
  }

  /** @param {string} id */
  get(id) {
    return this.#rows.get(id);
  }

  /** Shows rows for these items. @param {Item[]} items */
  show(items) {
    this.#items = items;
    this.#removeBut(new Set(items.map(({ id }) => id)));
    let next = this.#element.firstElementChild;
    for (const item of items) {
      const { element } = this.#row(item);
      if (element === next) {
        next = element.nextElementSibling;
      } else {
        this.#element.insertBefore(element, next);
      }
    }
  }

  /** @param {Item} item */
  #row(item) {
    let row = this.#rows.get(item.id);
    if (row === undefined) {
      row = this.#make(item);
      this.#rows.set(item.id, row);
    }
    row.show(item);
    return row;
  }

  /** Removes all other rows. If one of them has the focus, its neighbour gets it. @param {Set<string>} ids */
  #removeBut(ids) {
    for (const [id, { element }] of this.#rows) {
      if (!ids.has(id)) {
        const hadFocus = element.contains(document.activeElement);
        const neighbour = element.nextElementSibling ?? element.previousElementSibling;
        this.#rows.delete(id);
        element.remove();
        if (hadFocus) {
          /** @type {any} */ (neighbour ?? this.#element.closest("section")?.querySelector("h2"))?.focus();
        }
      }
    }
  }
}

/** How many items a page of a list has. */
const size = 100;

/** How many pages of a list are shown, and a button for one more. */
export class Pages {
  #button;
  #changed;
  #shown = 1;
  #of = "";

  /** @param {HTMLButtonElement} button @param {() => void} changed is called when one more is wanted. */
  constructor(button, changed) {
    this.#button = button;
    this.#changed = changed;
    button.addEventListener("click", () => {
      this.#shown++;
      this.#button.disabled = true; // until it came
      this.#changed();
    });
  }

  /**
   * Gives the items of all pages that are shown, and whether there are more.
   * @template Item
   * @param {string} of names the list: another one begins with its first page.
   * @param {(page: {limit: number, cursor?: string}) => Promise<{items: Item[], next_cursor?: string}>} ask
   */
  async read(of, ask) {
    if (of !== this.#of) {
      [this.#of, this.#shown] = [of, 1];
    }
    const items = [];
    let cursor;
    for (let page = 0; page < this.#shown; page++) {
      const { items: some, next_cursor: next } = await ask(cursor === undefined ? { limit: size } : { limit: size, cursor });
      items.push(...some);
      cursor = next || undefined;
      if (cursor === undefined) {
        break;
      }
    }
    return { items, hasMore: cursor !== undefined };
  }

  /** Offers one more page where there is one. @param {boolean} hasMore */
  offer(hasMore) {
    this.#button.hidden = !hasMore;
    this.#button.disabled = false;
  }
}

/**
 * All items of a list, page by page.
 * @template Item
 * @param {(page: {limit: number, cursor?: string}) => Promise<{items: Item[], next_cursor?: string}>} ask
 */
export async function readAll(ask) {
  const items = [];
  for (let cursor; ;) {
    const { items: some, next_cursor: next } = await ask(cursor === undefined ? { limit: 1000 } : { limit: 1000, cursor });
    items.push(...some);
    cursor = next || undefined;
    if (cursor === undefined) {
      return items;
    }
  }
}

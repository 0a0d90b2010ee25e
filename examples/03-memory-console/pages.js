/** How many items a page of a list has. */
const size = 100;

/** The pages of a list that are shown, and a button for one more. */
export class Pages {
  #button;
  #changed;
  #shown = 1;
  #of = "";

  /** @param {HTMLButtonElement} button @param {() => void} changed is called when the user wants one more page. */
  constructor(button, changed) {
    this.#button = button;
    this.#changed = changed;
    button.addEventListener("click", () => {
      this.#shown++;
      this.#button.disabled = true; // until the next page has arrived
      this.#changed();
    });
  }

  /**
   * Loads the items of all pages that are shown, and says whether there are more.
   * @template Item
   * @param {string} of identifies the list: another list begins with its first page.
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

  /** Offers one more page, if there is one. @param {boolean} hasMore */
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

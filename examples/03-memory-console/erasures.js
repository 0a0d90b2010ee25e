import { nameOf, writeTime } from "./memory.js";
import { byId, copyOf, count, part, write } from "./page.js";
import { Pages } from "./pages.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Erasure} Erasure */

/** The text for each kind of deletion. @type {Record<string, string>} */
const kinds = { memory: "A memory was deleted", user: "All memories of a user were deleted", chat: "A chat that memories came from was deleted" };

/** The receipts of deletions. They contain none of the deleted text. */
export class ErasureList {
  #pages;
  /** @type {Rows<Erasure & {id: string}, ErasureRow>} */
  #rows;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#pages = new Pages(byId("erasures-more"), page.changed);
    this.#rows = new Rows(byId("erasure-list"), () => new ErasureRow());
  }

  /** @param {any} sdk @param {string} agent */
  async look(sdk, agent) {
    const { items, hasMore } = await this.#pages.read(agent, async (page) => {
      const { erasures, next_cursor } = await sdk.listErasures(agent, page);
      return { items: /** @type {Erasure[]} */ (erasures), next_cursor };
    });
    return () => {
      this.#pages.offer(hasMore);
      this.#rows.show(named(items));
      byId("no-erasures").hidden = items.length > 0;
    };
  }
}

/** Gives receipts ids, because they have none. Equal receipts are distinguished by their position. @param {Erasure[]} erasures */
function named(erasures) {
  /** @type {Map<string, number>} */
  const seen = new Map();
  return erasures.toReversed().map((erasure) => {
    const text = JSON.stringify(erasure);
    const times = (seen.get(text) ?? 0) + 1;
    seen.set(text, times);
    return { ...erasure, id: `${text} ${times}` };
  }).reverse();
}

class ErasureRow {
  element = copyOf("erasure");

  /** @param {Erasure} erasure */
  show({ kind, at, by, counts }) {
    write(part(this.element, "kind"), kinds[kind] ?? kind);
    write(part(this.element, "by"), `by ${nameOf(by)}`);
    writeTime(part(this.element, "date"), at);
    const gone = count(counts.memories, "memory", "memories");
    const kept = counts.sources === 0 ? "" : `; ${count(counts.sources, "other lost its", "others lost their")} message`;
    write(part(this.element, "counts"), `${gone} deleted${kept}`);
  }
}

import { visible } from "../01-script-tag/arguments.js";
import { byWhom, decidedAt, statusOf, writeTime } from "./memory.js";
import { copyOf, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** Another memory. Only its id may be known. @typedef {{id: string, relation: "conflict" | "close", memory?: Memory | undefined}} Other */

/** @type {Record<string, string>} */
const relations = { conflict: "Contradicts what is approved. Approving this one replaces it:", close: "Says nearly the same:" };

/** Shows two memories side by side, with marks on the words that only one has. @param {Memory} memory @param {Other} other @returns {HTMLElement} */
export function compare(memory, { id, relation, memory: other }) {
  const element = copyOf("other");
  element.dataset.relation = relation;
  element.dataset.other = id;
  write(part(element, "relation"), relations[relation] ?? "");
  if (other === undefined) {
    write(part(element, "there"), "It no longer exists.");
    part(element, "here").textContent = visible(memory.memory_content);
    return element;
  }
  part(element, "here").replaceChildren(...marked(visible(memory.memory_content), visible(other.memory_content)));
  part(element, "there").replaceChildren(...marked(visible(other.memory_content), visible(memory.memory_content)));
  write(part(element, "status"), [statusOf(other), byWhom(other)].filter(Boolean).join(" "));
  part(element, "status").dataset.status = other.status;
  writeTime(part(element, "date"), decidedAt(other) ?? other.created_at);
  return element;
}

/** A statement in pieces, with marks around the words that the other statement does not have. @param {string} text @param {string} other */
function marked(text, other) {
  const known = new Set(other.split(/\s+/).map(bare));
  return text.split(/(\s+)/).map((piece) => {
    if (piece.trim() === "" || known.has(bare(piece))) {
      return piece;
    }
    const mark = document.createElement("mark");
    mark.textContent = piece;
    return mark;
  });
}

/** A word in lower case, without punctuation. @param {string} word */
function bare(word) {
  return word.toLowerCase().replaceAll(/^[\p{P}]+|[\p{P}]+$/gu, "");
}

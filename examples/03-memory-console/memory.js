// How a memory is put into words.

import { count, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** @type {Record<string, string>} */
const reasons = { reviewer: "Rejected by a reviewer", expired: "Expired without a review", superseded: "Replaced by another" };

/** What became of a memory, or that nothing did yet. @param {Memory} memory */
export function statusOf({ status, reject_reason: reason }) {
  return status === "approved" ? "Approved" : status === "pending" ? "Pending" : reasons[reason ?? ""] ?? "Rejected";
}

const units = /** @type {const} */ ([["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]]);

/** How long a memory waits yet, in the largest unit of which two are left. @param {Memory} memory */
export function timeLeft({ expires_at: end }) {
  if (end === undefined) {
    return "";
  }
  const left = Math.floor(end - Date.now() / 1000);
  const [unit, seconds] = units.find(([, size]) => left >= 2 * size) ?? ["second", 1];
  return left <= 0 ? "expired" : `${count(Math.floor(left / seconds), unit, `${unit}s`)} left`;
}

/** Writes what cards and rows have in common into their parts. @param {Element} element @param {Memory} memory */
export function describe(element, memory) {
  const { memory_content: content, memory_type: type, confidence_score: confidence } = memory;
  write(part(element, "content"), content);
  write(part(element, "type"), type);
  part(element, "type").dataset.type = type;
  write(part(element, "confidence"), `${Math.round(confidence * 100)} % sure`);
  tick(element, memory);
  const end = memory.expires_at;
  part(element, "left").title = end === undefined ? "" : `until ${new Date(end * 1000).toLocaleString()}`;
  part(element, "message").replaceChildren(...marked(memory));
}

/** Lets the time that is left run. @param {Element} element @param {Memory} memory */
export function tick(element, memory) {
  write(part(element, "left"), timeLeft(memory));
}

/** The message in pieces of text, the words that say it marked. @param {Memory} memory */
function marked({ triggering_message: text, span }) {
  if (text === undefined) {
    return ["The chat it came from was deleted."];
  }
  if (span === undefined) {
    return [text];
  }
  const mark = document.createElement("mark");
  mark.textContent = text.slice(span.start, span.end);
  return [text.slice(0, span.start), mark, text.slice(span.end)];
}

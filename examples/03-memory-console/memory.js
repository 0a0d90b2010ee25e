// Texts about a memory.

import { visible } from "../01-script-tag/arguments.js";
import { count, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** @type {Record<string, string>} */
const reasons = { expired: "Expired without a review", superseded: "Superseded" };

/** The state of a memory in a word or two. @param {Memory} memory */
export function statusOf({ status, reject_reason: reason, decided_by: by }) {
  if (status !== "rejected") {
    return status === "approved" ? "Approved" : "Pending";
  }
  return reasons[reason ?? ""] ?? (by === undefined ? "Rejected by a reviewer" : "Rejected");
}

/** Who decided a memory, if somebody did and the service knows. @param {Memory} memory */
export function byWhom({ status, reject_reason: reason, decided_by: by }) {
  const isDecided = status === "approved" || reason === "reviewer";
  return by === undefined || !isDecided ? "" : by === "auto_approve" ? "without a review" : `by ${nameOf(by)}`;
}

/** The name for a user in a record. @param {string} by */
export function nameOf(by) {
  return by === "api_key" ? "an API key" : by;
}

/** A time in the usual form. @param {number} seconds since the Unix epoch */
export function timeOf(seconds) {
  return new Date(seconds * 1000).toLocaleString("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });
}

/** Writes a time into a time element. @param {any} element @param {number} seconds */
export function writeTime(element, seconds) {
  element.dateTime = new Date(seconds * 1000).toISOString();
  write(element, timeOf(seconds));
}

/** Why a memory waits, in a sentence; whyOthersWait says what stands for all others. @type {Record<string, string>} */
const waits = {
  foreign: "It waits because these may be somebody else's words: quoted, pasted or forwarded.",
  instruction: "It waits because it tells the assistant what to do, and not only how to answer.",
  address: "It waits because it contains an address.",
  close: "It waits because it is close to another memory, but not the same.",
  deleted: "It waits because a similar memory was deleted.",
};

/** @param {Memory} memory */
export function whyItWaits({ status, waits_for: reason }) {
  return status === "pending" && reason !== undefined ? waits[reason] ?? "" : "";
}

/**
 * Why memories wait whose cards say no reason, in one sentence for all of them.
 * @param {Memory[]} memories @param {import("../../dist/chatsdk.d.ts").MemorySettings} settings
 */
export function whyOthersWait(memories, { auto_approve: isAutomatic }) {
  if (memories.every((memory) => whyItWaits(memory) !== "")) {
    return "";
  }
  return isAutomatic ? "A memory without a reason waits because Auto Approve was off when it was found, or because it says more than the user's own words."
    : "Auto Approve is off: every memory that is found waits for a review.";
}

const units = /** @type {const} */ ([["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]]);

/**
 * How long a memory can still wait, rounded, in the largest unit of which at least two are left: just after it
 * was found, seven days are left and not six.
 * @param {Memory} memory
 */
export function timeLeft({ expires_at: end }) {
  if (end === undefined) {
    return "";
  }
  const left = Math.ceil(end - Date.now() / 1000);
  const [unit, seconds] = units.find(([, size]) => Math.round(left / size) >= 2) ?? ["second", 1];
  return left <= 0 ? "expired" : `${count(Math.round(left / seconds), unit, `${unit}s`)} left`;
}

/** When a memory was approved or rejected; undefined while it is pending. @param {Memory} memory */
export function decidedAt({ status, approved_at: approved, rejected_at: rejected }) {
  return status === "rejected" ? rejected : approved;
}

/** Fills in the parts that cards and rows share. @param {Element} element @param {Memory} memory */
export function describe(element, memory) {
  const { memory_content: content, memory_type: type, confidence_score: confidence, origin } = memory;
  const isByHand = origin === "administrator";
  write(part(element, "content"), visible(content));
  write(part(element, "type"), type);
  part(element, "type").dataset.type = type;
  write(part(element, "confidence"), isByHand ? "" : `${Math.round(confidence * 100)} % sure`);
  write(part(element, "origin"), isByHand ? "written by an administrator" : "");
  write(part(element, "edited"), editsOf(memory));
  tick(element, memory);
  const end = memory.expires_at;
  part(element, "left").title = end === undefined ? "" : `until ${new Date(end * 1000).toLocaleString()}`;
  part(element, "message").replaceChildren(...marked(memory));
}

/** Who edited a memory, when, and what it said before, a line for each edit, the newest first. @param {Memory} memory */
function editsOf({ original_content: original, edited_by: by, edited_at: at, edits = [] }) {
  const isOlder = original !== undefined && edits[0]?.text !== original; // the service did not keep each edit then
  const known = [...isOlder ? [edits.length === 0 ? { text: original, by, at } : { text: original }] : [], ...edits];
  return known.map((edit) => {
    const who = edit.by === undefined ? "" : ` by ${nameOf(edit.by)}`;
    return `Edited${who}${edit.at === undefined ? "" : `, ${timeOf(edit.at)}`}. Before: “${visible(edit.text)}”`;
  }).reverse().join("\n");
}

/** Updates the time that is left. @param {Element} element @param {Memory} memory */
export function tick(element, memory) {
  write(part(element, "left"), timeLeft(memory));
}

/** The message in pieces of text, with a mark on the words that caused the memory. @param {Memory} memory */
function marked({ triggering_message: text, span, origin }) {
  if (text === undefined) {
    return [origin === "administrator" ? "No message: an administrator wrote it." : "The chat it came from was deleted."];
  }
  if (span === undefined) {
    return [visible(text)];
  }
  const mark = document.createElement("mark");
  mark.textContent = visible(text.slice(span.start, span.end));
  return [visible(text.slice(0, span.start)), mark, visible(text.slice(span.end))];
}

import { isComposing } from "../01-script-tag/keys.js";
import { compare } from "./compare.js";
import { explain } from "./errors.js";
import { byWhom, decidedAt, describe, statusOf, tick, timeOf, whyItWaits } from "./memory.js";
import { copyOf, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/**
 * A memory with what a reviewer needs to know: the memories that it contradicts or is close to, and whether there is room for it.
 * @typedef {Memory & {others?: import("./compare.js").Other[], room?: string}} Waiting
 */

/** The word for each decision. @type {Record<string, string>} */
const outcomes = { approve: "Approved", reject: "Rejected" };

/**
 * A pending memory with the words that caused it. Once it is decided, here or elsewhere, it says
 * so and stays in its place while the pointer or the focus is near.
 */
export class Card {
  element = copyOf("card");
  /** It can be decided while it is open, and the decision undone while it waits. @type {"open" | "waiting" | "busy" | "settled"} */
  state = "open";

  #page;
  #shown = "";
  #keptUntil = 0;
  /** The decision that failed and can be tried again. @type {"approve" | "reject" | undefined} */
  failed;

  /** @param {import("./page.js").Page} page @param {Memory} memory */
  constructor(page, memory) {
    this.#page = page;
    this.memory = memory;
    this.element.dataset.memory = memory.id;
    this.element.addEventListener("keydown", (/** @type {any} */ event) => {
      if (event.key === "Escape" && event.target.matches("textarea") && !isComposing(event)) {
        this.edit(false);
        this.#button("edit").focus();
      }
    });
    this.#become("open");
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  /** Whether it must stay for a moment, so that somebody can read what happened. */
  get isKept() {
    return Date.now() < this.#keptUntil;
  }

  get isPicked() {
    return part(this.element, "pick").checked;
  }

  /** @param {boolean} is */
  pick(is) {
    part(this.element, "pick").checked = is;
  }

  /** The edited statement to approve, undefined to approve the detected one. @param {"approve" | "reject"} action @returns {string | undefined} */
  statementFor(action) {
    const text = this.#text;
    return action === "reject" || !this.isEdited || text === "" || text === this.memory.memory_content ? undefined : text;
  }

  get #text() {
    return part(this.element, "statement").value.replaceAll(/\s+/g, " ").trim();
  }

  /** Whether the edited statement is empty. If so, shows an error. */
  refuseBlank() {
    const isBlank = this.isEdited && this.#text === "";
    if (isBlank) {
      write(part(this.element, "error"), "The statement is empty. Write one, or leave it as it was.");
      part(this.element, "statement").focus();
    }
    return isBlank;
  }

  /** @param {Waiting} memory */
  show(memory) {
    const text = JSON.stringify(memory);
    if (text === this.#shown || this.state === "settled") {
      return;
    }
    this.#shown = text;
    this.memory = memory;
    describe(this.element, memory);
    write(part(this.element, "user"), memory.user_id);
    write(part(this.element, "waits"), whyItWaits(memory));
    write(part(this.element, "room"), memory.room ?? "");
    part(this.element, "others").replaceChildren(...(memory.others ?? []).map((other) => compare(memory, other)));
    part(this.element, "pick").ariaLabel = `Select “${memory.memory_content}”`;
    this.#button("source").hidden = memory.source_message_id === undefined;
  }

  tick() {
    if (this.state !== "settled") {
      tick(this.element, this.memory);
    }
  }

  /** Makes the statement editable, or shows it as it was detected. @param {boolean} is */
  edit(is) {
    const statement = part(this.element, "statement");
    part(this.element, "edit").hidden = !is;
    write(this.#button("edit"), is ? "Leave as it was" : "Edit");
    write(this.#button("approve"), is ? "Approve this" : "Approve");
    if (is) {
      statement.value = this.memory.memory_content;
      statement.focus();
    }
  }

  get isEdited() {
    return !part(this.element, "edit").hidden;
  }

  /** Says which decision will be sent, and when. @param {"approve" | "reject"} action @param {number} seconds */
  wait(action, seconds) {
    this.failed = undefined;
    write(part(this.element, "error"), "");
    write(part(this.element, "note"), `${outcomes[action]}: sending in ${seconds} s`);
    if (this.state !== "waiting") {
      this.#focusHere();
      this.#become("waiting");
    }
  }

  /** Says that it is being sent. */
  send() {
    write(part(this.element, "note"), "Sending …");
    this.#focusHere();
    this.#become("busy");
  }

  /** Takes the decision back. */
  reopen() {
    write(part(this.element, "note"), "");
    this.#focusHere();
    this.#become("open");
  }

  /**
   * Shows the result of the decision, and returns it as a sentence.
   * @param {"approve" | "reject"} action @param {string[]} superseded
   * @param {boolean} [isSuperseded] Another decision of the same request has superseded it.
   */
  settle(action, superseded, isSuperseded = false) {
    const replaced = superseded.length === 0 ? "" : superseded.length === 1 ? " It replaces another memory." : ` It replaces ${superseded.length} others.`;
    const statement = this.statementFor(action);
    const edited = statement === undefined ? "" : " with another statement";
    this.#settle(isSuperseded ? "Superseded by a newer one that was approved with it." : `${outcomes[action]}${edited}.${replaced}`);
    this.element.dispatchEvent(new Event("decided", { bubbles: true }));
    return `${outcomes[action]}: ${statement ?? this.memory.memory_content}.${replaced}`;
  }

  /** Shows that the decision failed, and returns that as a sentence. @param {"approve" | "reject"} action @param {any} error */
  fail(action, error) {
    const { text, details } = explain(error);
    this.failed = action;
    this.reopen();
    write(part(this.element, "error"), `Not ${outcomes[action]?.toLowerCase()}. ${text} (${details})`);
    write(this.#button("again"), action === "approve" ? "Try again to approve" : "Try again to reject");
    return `Not ${outcomes[action]?.toLowerCase()}: ${this.memory.memory_content}. ${text}`;
  }

  /**
   * If somebody else has decided the memory, says so.
   * @param {number} [seconds] how long the text stays; if set, it is announced at once
   * @param {boolean} [isDecided] The service has said that somebody decided it.
   */
  async overtake(seconds = 0, isDecided = false) {
    const { id, agent_id: agent, user_id: user, memory_content: content } = this.memory;
    let told = "Already decided elsewhere.";
    try {
      const memory = (await this.#page.sdk.listUserMemories(agent, user)).find((/** @type {Memory} */ one) => one.id === id);
      if (memory?.status === "pending") {
        return false;
      }
      told = tellOf(memory, this.#page.user);
    } catch {
      if (!isDecided) {
        return false; // the outcome is unknown
      }
    }
    this.#settle(told);
    this.#keptUntil = Date.now() + seconds * 1000;
    if (this.hasFocus || seconds > 0) {
      this.#page.done(`${told} ${content}`);
    }
    return true;
  }

  /** @param {string} note */
  #settle(note) {
    this.failed = undefined;
    write(part(this.element, "error"), "");
    write(part(this.element, "note"), note);
    write(part(this.element, "left"), "");
    this.#focusHere();
    this.#become("settled");
  }

  /** Keeps the focus in the card: a button loses it when it is disabled or hidden. */
  #focusHere() {
    if (this.hasFocus) {
      this.element.focus({ preventScroll: true });
    }
  }

  /** @param {string} action @returns {any} */
  #button(action) {
    return this.element.querySelector(`[data-action=${action}]`);
  }

  /** @param {Card["state"]} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.element.ariaBusy = String(state === "busy");
    for (const control of this.element.querySelectorAll("button, input, textarea")) {
      control.disabled = state !== "open";
    }
    this.#button("undo").disabled = false;
    this.#button("undo").hidden = state !== "waiting";
    this.#button("again").hidden = this.failed === undefined;
    if (state !== "open") {
      this.pick(false);
    }
  }
}

/** What somebody else did with a memory. @param {Memory | undefined} memory @param {string} self */
function tellOf(memory, self) {
  if (memory === undefined) {
    return "Already deleted elsewhere.";
  }
  const at = decidedAt(memory);
  if (memory.status !== "approved" && memory.reject_reason !== "reviewer") {
    return `${statusOf(memory)}.`;
  }
  const who = memory.decided_by === self ? "by you elsewhere" : byWhom(memory) || "elsewhere";
  return `Already ${memory.status} ${who}${at === undefined ? "" : `, ${timeOf(at)}`}.`;
}

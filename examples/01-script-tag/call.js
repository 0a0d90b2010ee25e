import { visible } from "./arguments.js";
import { Decision } from "./decision.js";
import { announce, copyOf, part } from "./page.js";
import { userId } from "./session.js";

/** @typedef {import("../../dist/chatsdk.d.ts").ToolCall} ToolCall */

/** The text for each status of a call. @type {Record<string, string>} */
const words = {
  awaiting: "waits for your approval", approved: "is approved", running: "is being carried out …", done: "is done", failed: "failed",
  unknown: "was started; its outcome is unknown", denied: "was denied", expired: "expired: nobody decided in time",
};

/** Whether a call is still open. @param {ToolCall} call */
export const isOpen = ({ status }) => status === "awaiting" || status === "approved" || status === "running";

/** Whether an answer with these calls waits for a decision. @param {readonly ToolCall[]} calls */
export function isParked(calls) {
  const open = calls.filter(isOpen);
  return open.length > 0 && open.every(({ status }) => status === "awaiting");
}

/** A tool call in an answer: what it will do, its arguments, and its outcome. */
export class CallCard {
  element = copyOf("call");
  #page;
  #decision;
  #isBusy = false;
  /** The result or error that is shown. */
  #whole = "";

  /** @param {import("./page.js").Page} page @param {ToolCall} call */
  constructor(page, call) {
    this.#page = page;
    this.call = call;
    this.element.dataset.call = call.id;
    this.#decision = new Decision(this.element, (action) => void this.#decide(action));
    this.element.querySelector("[data-action=whole]").addEventListener("click", () => void this.#readWhole());
    addEventListener("focus", this.#look);
    this.#describe();
    if (call.status === "awaiting") {
      announce(`The assistant wants to call ${call.name}. ${call.description ?? ""} It waits for a decision.`);
    }
  }

  /** Looks, when the user comes back to a call that waits, whether the chat still shows its answer: events do not say so. */
  #look = () => {
    if (!this.element.isConnected || !isOpen(this.call)) {
      removeEventListener("focus", this.#look);
    } else if (this.call.status === "awaiting" && !this.#isBusy) {
      this.#page.sdk.getToolCall(this.call.id).then((call) => this.show({ hidden: false, ...call }), () => {});
    }
  };

  /** Shows the call's current state. A stream that is read again begins with old states. @param {ToolCall} call */
  show(call) {
    const isOld = isOpen(this.call) ? call.status === "awaiting" && this.call.status !== "awaiting" : isOpen(call);
    if (!isOld) {
      this.call = { hidden: this.call.hidden, ...call };
      this.#describe();
    }
  }

  #describe() {
    const { name, description = "", status, approval } = this.call;
    const [waits, isAdmins] = [status === "awaiting", approval === "admin"];
    this.element.dataset.state = status;
    this.element.ariaLabel = `Call to ${name}`;
    this.#say("name", name);
    this.#say("description", visible(description));
    this.#say("status", waits && isAdmins ? "waits for an administrator" : words[status] ?? status);
    this.#decision.show(this.call, waits, !isAdmins);
    part(this.element, "hidden").hidden = !(waits && this.call.hidden);
    part(this.element, "admin").hidden = !(waits && isAdmins);
    part(this.element, "decide").hidden = !waits;
    this.#say("fate", fate(this.call));
    this.#tellResult(this.call);
    this.#page.grew();
  }

  /** @param {ToolCall} call */
  #tellResult({ status, result, error, truncated, result_size: size = 0 }) {
    const text = status === "done" ? result ?? "" : error ?? "";
    if (truncated && text.length < this.#whole.length) {
      return; // a longer part of it is already shown
    }
    this.#whole = text;
    part(this.element, "given").hidden = text === "";
    this.#say("result-title", status === "done" ? "Result" : "Error");
    this.#say("result", visible(text));
    part(this.element, "cut").hidden = !truncated;
    this.#say("cut-text", `This is the beginning. ${size.toLocaleString("en")} bytes were kept.`);
  }

  /** @param {"approve" | "deny"} action */
  async #decide(action) {
    if (this.#isBusy) {
      return;
    }
    const { sdk } = this.#page;
    const { id, chat_id: chatId, name } = this.call;
    const post = this.#decision.read(action);
    if (post === undefined) {
      return;
    }
    const pressed = document.activeElement;
    const hadFocus = this.element.contains(pressed); // a button loses the focus when it is disabled
    this.#become(true);
    try {
      const { call } = await post(sdk, id);
      this.#settle(call, hadFocus);
    } catch (/** @type {any} */ error) {
      if (error.code === "CONFLICT") {
        await sdk.getToolCall(id).then((call) => this.#settle(call, hadFocus), () => {});
        announce(`${name} was decided elsewhere.`);
      } else {
        this.#page.failed(error, chatId, `${name} was not ${action === "approve" ? "approved" : "denied"}.`);
      }
    }
    this.#become(false);
    if (hadFocus && document.activeElement === document.body) {
      pressed.focus();
    }
  }

  /** @param {ToolCall} call @param {boolean} hadFocus */
  #settle(call, hadFocus) {
    this.show(call);
    if (hadFocus) {
      const next = this.element.parentElement?.querySelector(".call[data-state=awaiting] [data-part=decide] button:not([hidden])");
      next ? next.focus() : this.#page.focus();
    }
    this.#page.decided(call);
  }

  async #readWhole() {
    try {
      this.show(await this.#page.sdk.getToolCall(this.call.id));
      this.element.querySelector("[data-action=whole]").hidden = true;
    } catch (error) {
      this.#page.failed(error, this.call.chat_id, "The whole result could not be read.");
    }
  }

  /** @param {boolean} isBusy */
  #become(isBusy) {
    this.#isBusy = isBusy;
    this.element.ariaBusy = String(isBusy);
    for (const control of this.element.querySelectorAll("[data-part=decide] :is(button, input)")) {
      control.disabled = isBusy;
    }
  }

  /** @param {string} name @param {string} text */
  #say(name, text) {
    const element = part(this.element, name);
    if (element.textContent !== text) {
      element.textContent = text;
    }
  }
}

/** Who decided a call, when and why, and when it ended. @param {ToolCall} call */
export function fate({ status, approval, decided_at: decided, decided_by: by, reason, edited, finished_at: finished, expires_at: expires }) {
  const said = [];
  if (status === "awaiting" && expires !== undefined) {
    said.push(`It can be decided until ${time(expires)}.`);
  }
  if (reason === "stopped" && decided === undefined) {
    said.push("The answer was stopped.");
  } else if (decided !== undefined) {
    const who = by === undefined ? "" : by === userId() ? " by you" : ` by ${visible(by)}`;
    const what = status === "denied" ? "Denied" : edited ? "Approved with other arguments" : "Approved";
    said.push(`${what}${who}, ${time(decided)}${reason ? `: “${visible(reason)}”` : ""}.`);
  } else if (approval === "never") {
    said.push("Nobody has to approve it.");
  }
  if (finished !== undefined && status !== "denied" && status !== "expired") {
    said.push(`Ended ${time(finished)}.`);
  }
  return said.join(" ");
}

/** @param {number} seconds */
function time(seconds) {
  const [at, now] = [new Date(seconds * 1000), new Date()];
  const isToday = at.toDateString() === now.toDateString();
  return at.toLocaleString("en", isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

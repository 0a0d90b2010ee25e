import { visible } from "../01-script-tag/arguments.js";
import { Decision } from "../01-script-tag/decision.js";
import { timeLeft } from "./memory.js";
import { byId, copyOf, part, write } from "./page.js";
import { Rows } from "./rows.js";

/** @typedef {import("../../dist/chatsdk.d.ts").ToolCall} ToolCall */

/** What happened to a call that was not decided here. @type {Record<string, string>} */
const fates = { denied: "Already denied elsewhere.", expired: "Expired: nobody decided in time.", failed: "It failed before it was decided." };

/**
 * The calls that wait for an administrator. Those that have waited longest come first, so that
 * a new call does not move the others.
 */
export class CallQueue {
  #list = byId("call-queue");
  /** @type {Rows<ToolCall, CallCard>} */
  #rows;

  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.#rows = new Rows(this.#list, (call) => new CallCard(page, call));
  }

  /** @param {ToolCall[]} waiting */
  show(waiting) {
    const ids = new Set(waiting.map(({ id }) => id));
    const isNear = this.#list.matches(":hover");
    // A decided call stays while the pointer or the focus is near: otherwise another call would move into its place and could be decided by mistake.
    const held = this.#rows.all.filter((card) => !ids.has(card.call.id) && (card.state === "busy" || isNear || card.hasFocus));
    for (const card of held.filter(({ state }) => state === "open")) {
      void card.overtake();
    }
    const items = [...waiting, ...held.map(({ call }) => call)].sort((a, b) => a.requested_at - b.requested_at || (a.id < b.id ? -1 : 1));
    this.#rows.show(items);
    byId("decided").hidden = items.length > 0;
  }

  /** Updates the time that is left. */
  tick() {
    for (const card of this.#rows.all) {
      card.tick();
    }
  }
}

/** A call that waits. Once it is decided, here or elsewhere, it says so and stays in its place. */
class CallCard {
  element = copyOf("call");
  /** It can be decided while it is open. @type {"open" | "busy" | "settled"} */
  state = "open";
  #page;
  #decision;

  /** @param {import("./page.js").Page} page @param {ToolCall} call */
  constructor(page, call) {
    this.#page = page;
    this.call = call;
    this.element.dataset.call = call.id;
    this.#decision = new Decision(this.element, (action) => void this.#decide(action));
    this.#become("open");
  }

  get hasFocus() {
    return this.element.contains(document.activeElement);
  }

  /** @param {ToolCall} call */
  show(call) {
    if (this.state === "settled") {
      return;
    }
    this.call = call;
    write(part(this.element, "name"), call.name);
    write(part(this.element, "kind"), { http: "at an address", mcp: "on an MCP server", page: "in the user's page" }[call.kind] ?? call.kind);
    write(part(this.element, "description"), visible(call.description ?? ""));
    write(part(this.element, "chat"), call.chat_id);
    part(this.element, "mended").hidden = call.model_arguments === undefined;
    write(part(this.element, "wrote"), visible(call.model_arguments ?? ""));
    part(this.element, "hidden").hidden = !call.hidden;
    this.#decision.show(call, true, true);
    this.tick();
  }

  tick() {
    if (this.state !== "settled") {
      write(part(this.element, "left"), timeLeft(/** @type {any} */ (this.call)));
    }
  }

  /** @param {"approve" | "deny"} action */
  async #decide(action) {
    if (this.state !== "open") {
      return;
    }
    const { sdk } = this.#page;
    const { id, name } = this.call;
    const post = this.#decision.read(action);
    if (post === undefined) {
      return;
    }
    this.element.focus({ preventScroll: true }); // a button loses the focus when it is disabled
    this.#become("busy");
    try {
      const { call } = await post(sdk, id);
      this.#settle(call, action === "deny" ? "Denied." : call.edited ? "Approved with other arguments." : "Approved.");
      this.#page.done(`${action === "approve" ? "Approved" : "Denied"}: ${name}.`);
    } catch (/** @type {any} */ error) {
      if (error.status === 409 || error.status === 404) {
        await this.overtake();
      } else {
        this.#become("open");
        this.#page.failed(error, `${name} was not ${action === "approve" ? "approved" : "denied"}.`);
      }
    }
    this.#page.changed();
  }

  /** Says what happened to the call elsewhere. */
  async overtake() {
    this.#become("settled");
    const call = await this.#page.sdk.getToolCall(this.call.id).catch(() => undefined);
    if (call?.status === "awaiting") { // the page now shows another agent's calls
      this.#become("open");
      return;
    }
    this.#settle(call, call === undefined ? "It was deleted with its chat." : fates[call.status] ?? "Already approved elsewhere.");
  }

  /** @param {ToolCall | undefined} call @param {string} note */
  #settle(call, note) {
    this.#decision.edit(false);
    if (call !== undefined) {
      this.#decision.show(call, false, true);
    }
    write(part(this.element, "note"), note);
    write(part(this.element, "left"), "");
    this.#become("settled");
  }

  /** @param {"open" | "busy" | "settled"} state */
  #become(state) {
    this.state = state;
    this.element.dataset.state = state;
    this.element.ariaBusy = String(state === "busy");
    for (const control of this.element.querySelectorAll("button, input, textarea")) {
      control.disabled = state !== "open";
    }
  }
}

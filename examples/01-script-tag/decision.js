import { Arguments } from "./arguments.js";
import { isComposing } from "./keys.js";
import { part } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").ToolCall} ToolCall */

/** The part of a card that decides its call: the arguments, which can be edited, a reason, Approve and Deny. */
export class Decision {
  #card;
  #arguments = new Arguments();

  /** @param {Element} card @param {(action: "approve" | "deny") => void} decide */
  constructor(card, decide) {
    this.#card = card;
    part(card, "arguments").append(this.#arguments.element);
    card.addEventListener("click", (/** @type {any} */ { target }) => {
      const action = target.closest("[data-action]")?.dataset.action;
      if (action === "edit-arguments") {
        this.edit(!this.#arguments.isEdited);
      } else if (action === "approve" || action === "deny") {
        decide(action);
      }
    });
    card.addEventListener("keydown", (/** @type {any} */ event) => {
      // Escape in a field only leaves the field. On the page it would stop the answer.
      if (event.key === "Escape" && !isComposing(event) && event.target.matches("input, textarea")) {
        event.stopPropagation();
        this.edit(false);
        this.#button("edit-arguments").focus();
      }
    });
  }

  /** @param {ToolCall} call @param {boolean} waits for a decision @param {boolean} mayApprove */
  show({ arguments: text }, waits, mayApprove) {
    if (!waits) {
      this.edit(false); // arguments that nobody approved must not show
    }
    this.#arguments.show(text);
    part(this.#card, "arguments").hidden = this.#arguments.isEmpty;
    this.#button("approve").hidden = !mayApprove;
    this.#button("edit-arguments").hidden = !mayApprove || this.#arguments.isEmpty;
  }

  /** Makes the arguments editable, or shows them as they arrived. @param {boolean} is */
  edit(is) {
    if (is !== this.#arguments.isEdited) {
      this.#arguments.edit(is);
      this.#button("edit-arguments").textContent = is ? "Leave as they were" : "Edit";
      this.#button("approve").textContent = is ? "Approve these" : "Approve";
    }
  }

  /**
   * Reads the form, and returns a function that sends the decision. If an argument is invalid, it returns
   * undefined, and the field says why.
   * @param {"approve" | "deny"} action
   * @returns {((sdk: any, id: string) => Promise<{ call: ToolCall }>) | undefined}
   */
  read(action) {
    const reason = part(this.#card, "reason").value.trim() || undefined;
    if (action === "deny") {
      return (sdk, id) => sdk.denyToolCall(id, reason);
    }
    try {
      const edited = this.#arguments.read();
      return (sdk, id) => sdk.approveToolCall(id, { reason, ...(edited !== undefined && { arguments: edited }) });
    } catch {
      return undefined;
    }
  }

  /** @param {string} action */
  #button(action) {
    return /** @type {HTMLElement} */ (this.#card.querySelector(`[data-action=${action}]`));
  }
}

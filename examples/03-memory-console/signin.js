import { explain } from "./errors.js";
import { byId, part, write } from "./page.js";

/** Why the service refuses a token, by code, otherwise by status. @type {Record<string, string>} */
const refusals = {
  TOKEN_EXPIRED: "This token has expired. Make a new one.",
  INVALID_BEARER_TOKEN: "The service does not accept this token. Paste the whole token, made with the API secret of this project.",
  401: "The service does not accept this token.",
  403: "This token is a user's, and the console is for administrators. Its role has to be admin.",
  404: "The service has no such project.",
};

const place = byId("sign-in");
const form = place.querySelector("form");

/** Asks an administrator for their token, and passes it only to the session. */
export class SignIn {
  #session;
  #begin;

  /** @param {import("./session.js").Session} session @param {() => void} begin is called when somebody is signed in. */
  constructor(session, begin) {
    this.#session = session;
    this.#begin = begin;
    form.addEventListener("submit", (/** @type {Event} */ event) => {
      event.preventDefault();
      void this.#submit();
    });
    byId("sign-out").addEventListener("click", () => leave());
  }

  /** Shows the form if nobody is signed in, otherwise the page. @param {string} [reason] why the form shows again. */
  show(reason) {
    const isIn = this.#session.sdk !== undefined;
    const isNew = place.hidden && !isIn;
    place.hidden = isIn;
    for (const id of ["main", "agent-label"]) {
      byId(id).hidden = !isIn;
    }
    byId("who").hidden = !isIn || this.#session.isDemo;
    write(part(byId("who"), "user"), this.#session.user);
    form.elements.project.closest("label").hidden = !this.#session.needsProject;
    form.elements.project.required = this.#session.needsProject;
    if (reason !== undefined) {
      this.#complain(reason, "");
    }
    if (isNew) {
      form.querySelector("label:not([hidden]) input").focus();
    }
  }

  async #submit() {
    const { token, project, submit } = form.elements;
    const accessToken = token.value.replace(/^\s*bearer\s/i, "").replaceAll(/\s/g, "");
    if (accessToken === "") {
      this.#complain("Paste a token first.", "");
      return;
    }
    this.#complain("", "");
    submit.disabled = true;
    try {
      await this.#session.signIn(accessToken, project.value.trim());
    } catch (error) {
      this.#refuse(error);
      return;
    } finally {
      submit.disabled = false;
    }
    token.value = "";
    this.show();
    byId("main").focus();
    this.#begin();
  }

  /** @param {any} error */
  #refuse(error) {
    const { text, details } = explain(error);
    const other = new URL(this.#session.baseUrl).origin;
    if (error.status === 0 && other !== location.origin) {
      this.#complain(`${text} If it answers other pages, its ALLOWED_ORIGINS do not include ${location.origin}.`, details);
      return;
    }
    this.#complain(refusals[error.code] ?? refusals[error.status] ?? text, details);
  }

  /** @param {string} text @param {string} details */
  #complain(text, details) {
    const { token } = form.elements;
    write(part(form, "error"), text);
    part(form, "error").title = details;
    token.ariaInvalid = String(text !== "");
    if (text !== "" && !place.hidden) {
      token.focus();
      token.select();
    }
  }
}

/** Forgets everything that this page knows. Leaving the page sends the decisions that wait. */
function leave() {
  history.replaceState(null, "", location.pathname);
  location.reload();
}

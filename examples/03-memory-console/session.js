// The reviewer: an administrator, whose access token is only in the memory of this page.

import { APIError, ChatSDK } from "/dist/chatsdk.mjs";

/**
 * The content of settings.json in this folder.
 * @typedef {object} Settings
 * @property {string} [project_id] If it is missing, the sign-in asks for the project.
 * @property {string} [service] The address of the service, relative to the page; its own origin by default.
 * @property {boolean} [demo] The service hands out tokens.
 */

/** @typedef {{sdk: ChatSDK, user: string, token: () => string, forgetToken?: () => void}} Administrator */

export class Session {
  /** @type {Settings | undefined} */
  #settings;
  /** @type {Administrator | undefined} */
  #administrator;

  /** The SDK of the signed-in user. @returns {any} undefined if nobody is. */
  get sdk() {
    return this.#administrator?.sdk;
  }

  /** The id of the signed-in user. */
  get user() {
    return this.#administrator?.user ?? "";
  }

  get isDemo() {
    return this.#settings?.demo === true;
  }

  /** Whether the sign-in must ask for the project. */
  get needsProject() {
    return this.#settings?.project_id === undefined;
  }

  /** Reads the settings. In the demo it also signs somebody in. */
  async open() {
    this.#settings ??= await readSettings();
    if (this.isDemo) {
      const { administrator } = await import("./demo.js");
      this.#administrator ??= await administrator(this.baseUrl);
    }
  }

  /** The address of the service. */
  get baseUrl() {
    return new URL(this.#settings?.service ?? "/", document.baseURI).href;
  }

  /** Signs in. Throws if the service refuses the token, or if it is not an administrator's. @param {string} accessToken @param {string} project */
  async signIn(accessToken, project) {
    const sdk = new ChatSDK({ baseUrl: this.baseUrl, projectId: this.#settings?.project_id ?? project, accessToken });
    const { agents: [agent] } = await sdk.listAgents();
    if (agent !== undefined) {
      await sdk.listErasures(agent.id, { limit: 1 }); // only administrators may call this
    }
    this.#administrator = { sdk, user: userOf(accessToken), token: () => accessToken };
  }

  /** Sends a POST while the page is being left: only a request that begins at once survives that. @param {string} path @param {object} body */
  leave(path, body) {
    if (this.#administrator === undefined) {
      return;
    }
    const authorization = `Bearer ${this.#administrator.token()}`;
    const headers = { authorization, "content-type": "application/json" };
    const post = { method: "POST", keepalive: true, credentials: /** @type {const} */ ("omit"), headers, body: JSON.stringify(body) };
    void fetch(new URL(path, this.baseUrl), post).catch(() => undefined);
  }

  /** Forgets the token. The demo then gets a new one. */
  end() {
    if (this.isDemo) {
      this.#administrator?.forgetToken?.();
    } else {
      this.#administrator = undefined;
    }
  }
}

/** @returns {Promise<Settings>} */
async function readSettings() {
  const response = await fetch("settings.json", { cache: "no-store", credentials: "omit" }).catch((cause) => {
    throw new APIError("settings.json had no response", { status: 0, code: "NETWORK" }, { cause });
  });
  if (!response.ok) {
    throw new APIError(`settings.json answered ${response.status}`, { status: response.status });
  }
  return response.json();
}

/** The user that the token names (RFC 7519, section 4.1.2). It is only shown; nothing depends on it. @param {string} token */
function userOf(token) {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return String(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0)))).sub ?? "");
  } catch {
    return "";
  }
}

// Who reviews: an administrator, whose access token is in the memory of this page alone.

import { APIError, ChatSDK } from "/dist/chatsdk.mjs";

/**
 * What settings.json beside the page says.
 * @typedef {object} Settings
 * @property {string} [project_id] Without it whoever signs in names the project.
 * @property {string} [service] The address of the service, relative to the page; its own origin by default.
 * @property {boolean} [demo] The service hands out tokens.
 */

/** @typedef {{sdk: ChatSDK, user: string, token: () => string, forgetToken?: () => void}} Administrator */

export class Session {
  /** @type {Settings | undefined} */
  #settings;
  /** @type {Administrator | undefined} */
  #administrator;

  /** The SDK of who is signed in. @returns {any} undefined if nobody is. */
  get sdk() {
    return this.#administrator?.sdk;
  }

  /** The id of who is signed in. */
  get user() {
    return this.#administrator?.user ?? "";
  }

  get isDemo() {
    return this.#settings?.demo === true;
  }

  /** Tells whether whoever signs in has to name the project. */
  get needsProject() {
    return this.#settings?.project_id === undefined;
  }

  /** Reads the settings; in the demo somebody is signed in then. */
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

  /** Signs in, unless the service refuses the token or it is no administrator's. @param {string} accessToken @param {string} project */
  async signIn(accessToken, project) {
    const sdk = new ChatSDK({ baseUrl: this.baseUrl, projectId: this.#settings?.project_id ?? project, accessToken });
    const { agents: [agent] } = await sdk.listAgents();
    if (agent !== undefined) {
      await sdk.listErasures(agent.id, { limit: 1 }); // for administrators alone
    }
    this.#administrator = { sdk, user: userOf(accessToken), token: () => accessToken };
  }

  /** Posts while the page goes: only a request that is begun at once outlives it. @param {string} path @param {object} body */
  leave(path, body) {
    if (this.#administrator === undefined) {
      return;
    }
    const authorization = `Bearer ${this.#administrator.token()}`;
    const headers = { authorization, "content-type": "application/json" };
    const post = { method: "POST", keepalive: true, credentials: /** @type {const} */ ("omit"), headers, body: JSON.stringify(body) };
    void fetch(new URL(path, this.baseUrl), post).catch(() => undefined);
  }

  /** Gives up the token. The demo gets another. */
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

/** Whose token it is, by its own word (RFC 7519, section 4.1.2). It is shown, and nothing depends on it. @param {string} token */
function userOf(token) {
  try {
    const text = atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/"));
    return String(JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (byte) => byte.charCodeAt(0)))).sub ?? "");
  } catch {
    return "";
  }
}

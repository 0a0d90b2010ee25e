// The tokens of the demo, which anybody can get.

import { APIError, ChatSDK } from "/dist/chatsdk.mjs";

/** @typedef {{access_token: string, expires_at: number, user_id: string, project_id: string}} Token */

/** The page renews a token this many seconds before it expires. */
const margin = 60;

/** Creates an administrator of the demo. The token is renewed again and again. @param {string} baseUrl */
export async function administrator(baseUrl) {
  const tokens = new Tokens(baseUrl);
  const { user_id: user, project_id: projectId } = await tokens.fresh();
  const sdk = new ChatSDK({ baseUrl, projectId, accessToken: async () => (await tokens.fresh()).access_token });
  return { sdk, user, token: () => tokens.last, forgetToken: () => tokens.forget() };
}

class Tokens {
  #address;
  /** @type {Token | undefined} */
  #token;
  /** @type {Promise<Token> | undefined} */
  #request;

  /** @param {string} baseUrl */
  constructor(baseUrl) {
    this.#address = new URL("demo/token", baseUrl).href;
  }

  /** The current token, even if it has expired. */
  get last() {
    return this.#token?.access_token ?? "";
  }

  /** Makes the next call get a new token, after the service refused this one. */
  forget() {
    this.#token = undefined;
  }

  /** Returns the token, or a new one in time. All calls that wait share one request. */
  async fresh() {
    if (this.#token === undefined || this.#token.expires_at - margin < Date.now() / 1000) {
      this.#request ??= this.#fetch().finally(() => (this.#request = undefined));
      this.#token = await this.#request;
    }
    return this.#token;
  }

  /** @returns {Promise<Token>} */
  async #fetch() {
    const response = await fetch(this.#address, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ user_id: "reviewer", role: "admin" }),
    }).catch((cause) => {
      throw new APIError("/demo/token had no response", { status: 0, code: "NETWORK" }, { cause });
    });
    if (!response.ok) {
      throw new APIError(`/demo/token answered ${response.status}`, { status: response.status });
    }
    return response.json();
  }
}

// Who reviews. A product has its own sign-in here, and a server that mints the
// tokens, with the role of an administrator and the agents that they may see.

import { APIError, ChatSDK } from "/dist/chatsdk.mjs";

/** @typedef {{access_token: string, expires_at: number, user_id: string, project_id: string}} Token */

/** A token is given up this many seconds before its end. */
const margin = 60;

/** @type {Token | undefined} */
let token;
/** @type {Promise<Token> | undefined} */
let request;

/** Makes the SDK for an administrator. */
export async function connect() {
  const { project_id: projectId } = await freshToken();
  return new ChatSDK({ baseUrl: location.origin, projectId, accessToken: async () => (await freshToken()).access_token });
}

/** Makes the next call get a new token, after the service refused this one. */
export function forgetToken() {
  token = undefined;
}

/** Gives the token, or a new one in time, which is asked for once however many wait. */
async function freshToken() {
  if (token === undefined || token.expires_at - margin < Date.now() / 1000) {
    request ??= fetchToken().finally(() => (request = undefined));
    token = await request;
  }
  return token;
}

/** @returns {Promise<Token>} */
async function fetchToken() {
  const response = await fetch("/demo/token", {
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

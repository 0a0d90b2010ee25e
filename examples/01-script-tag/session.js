// The user of the page. A product has its own sign-in here, and a server that creates the tokens.

import { tools } from "./tools.js";

/** @typedef {{access_token: string, expires_at: number, user_id: string, project_id: string}} Token */

const storageKey = "chatsdk-demo-user";

/** The page renews a token this many seconds before it expires. */
const margin = 60;

/** @type {string | undefined} */
let user;
/** @type {Token | undefined} */
let token;
/** @type {Promise<Token> | undefined} */
let request;

/**
 * Creates the SDK for the user of this browser. The first visit creates a new user.
 * @param {(entry: import("../../dist/chatsdk.d.ts").LogEntry) => void} logger
 */
export async function connect(logger) {
  user = localStorage.getItem(storageKey) ?? undefined;
  const { project_id: projectId } = await freshToken();
  return new ChatSDK({
    baseUrl: location.origin, projectId, logger, tools,
    accessToken: async () => (await freshToken()).access_token,
    maxRetries: 4, // a message may wait for up to 7.5 s; an answer that has begun is resumed for longer anyway
  });
}

/** The user, after connect has created the SDK. */
export function userId() {
  return user ?? "";
}

/** Makes the next call get a new token, after the service refused this one. */
export function forgetToken() {
  token = undefined;
}

/** Returns the token, or a new one in time. All calls that wait share one request. */
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
    body: JSON.stringify({ user_id: user }),
  }).catch((cause) => {
    throw new ChatSDK.APIError("/demo/token had no response", { status: 0, code: "NETWORK" }, { cause });
  });
  if (!response.ok) {
    throw new ChatSDK.APIError(`/demo/token answered ${response.status}`, { status: response.status });
  }
  const made = await response.json();
  user = made.user_id;
  localStorage.setItem(storageKey, made.user_id);
  return made;
}

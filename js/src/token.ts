import { typeName } from "./errors.js";
import type { AccessTokenOptions, ChatSDKConfig } from "./options.js";
import type { AccessToken } from "./types.js";

const fields = ["userId", "role", "agents", "expiresIn", "signal"];

/** The longest life of a token, in seconds. */
const longest = 86_400;

/**
 * Creates an access token: a JWT (RFC 7519) signed with HS256 and the API secret.
 * sdk/mint.go does the same for Go programs; the tests of both run
 * sdk/testdata/arguments.json. It is TypeScript in its own file, so that pages, which create no
 * tokens, do not download it.
 */
export async function mint(config: ChatSDKConfig, options: AccessTokenOptions): Promise<AccessToken> {
  const { userId, role, agents, expiresIn } = options;
  check(config, options);
  const issued = Math.floor(Date.now() / 1000);
  const expires = issued + (expiresIn ?? 3600);
  const claims = {
    iss: config.apiKey, sub: userId, aud: config.projectId, iat: issued, exp: expires,
    role: role ?? undefined, agents: agents ?? undefined,
  };
  const signed = `${segment({ alg: "HS256", typ: "JWT" })}.${segment(claims)}`;
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes(config.apiSecret ?? ""), algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, bytes(signed)));
  return { access_token: `${signed}.${base64url(signature)}`, expires_at: expires };
}

function check(config: ChatSDKConfig, options: AccessTokenOptions): void {
  const { userId, role, agents, expiresIn } = options;
  for (const name of Object.keys(options)) {
    if (!fields.includes(name)) {
      throw wrong(name, `is unknown; the options are ${fields.join(", ")}`);
    }
  }
  const secret = bytes(config.apiSecret ?? "").length;
  if (secret === 0) {
    throw wrong("apiSecret", "is missing: tokens are minted on a server, with apiKey and apiSecret");
  }
  if (secret < 32) {
    throw wrong("apiSecret", `has ${secret} bytes, want at least 32`);
  }
  if (typeof userId !== "string" || userId.trim() === "" || userId === "." || userId === "..") {
    throw wrong("userId", typeof userId === "string" ? `is ${JSON.stringify(userId)}, which cannot be an id` : `is ${typeName(userId)}, want a string`);
  }
  if (role != null && role !== "user" && role !== "admin") {
    throw wrong("role", `is ${JSON.stringify(role)}, want "user" or "admin"`);
  }
  if (agents != null && !(Array.isArray(agents) && agents.every((agent) => typeof agent === "string"))) {
    throw wrong("agents", "is not an array of strings");
  }
  if (expiresIn != null && !(Number.isInteger(expiresIn) && expiresIn >= 1 && expiresIn <= longest)) {
    throw wrong("expiresIn", `is ${String(expiresIn)}, want 1 to ${longest} seconds`);
  }
}

function wrong(field: string, problem: string): TypeError {
  return new TypeError(`createAccessToken: ${field} ${problem}`);
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** A part of the token: JSON in base64url, RFC 7515 section 2. */
function segment(part: object): string {
  return base64url(bytes(JSON.stringify(part)));
}

function base64url(data: Uint8Array): string {
  return btoa(String.fromCharCode(...data)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

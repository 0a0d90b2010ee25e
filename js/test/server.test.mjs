// The package on a server: Node, an API key, and tokens that it makes.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const apiSecret = "a secret that only this test knows, ü included".replace("ü", "u");
const requests = [];
const server = createServer((request, response) => {
  requests.push(request);
  response.writeHead(200, { "content-type": "application/json" }).end('{"chats":[],"has_more":false}');
});
let baseUrl;

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  baseUrl = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

test("an API key goes into its headers", async () => {
  await new ChatSDK({ baseUrl, projectId: "demo", apiKey: "key", apiSecret, userId: "ana" }).listChats();
  const { headers } = requests.at(-1);
  assert.equal(headers["x-api-key"], "key");
  assert.equal(headers["x-api-secret"], apiSecret);
  assert.equal(headers["x-user-id"], "ana");
  assert.equal(headers.authorization, undefined);
});

test("createAccessToken mints a token that the secret signs, and sends nothing", async () => {
  const sent = requests.length;
  const sdk = new ChatSDK({ baseUrl, projectId: "demo", apiKey: "key", apiSecret });
  const begun = Math.floor(Date.now() / 1000);
  const { access_token, expires_at } = await sdk.createAccessToken({ userId: "ana", role: "admin", agents: ["a"], expiresIn: 60 });
  const [header, claims, signature] = access_token.split(".");
  assert.equal(signature, createHmac("sha256", apiSecret).update(`${header}.${claims}`).digest("base64url"));
  assert.deepEqual(JSON.parse(Buffer.from(header, "base64url")), { alg: "HS256", typ: "JWT" });
  const { iat, exp, ...rest } = JSON.parse(Buffer.from(claims, "base64url"));
  assert.deepEqual(rest, { iss: "key", sub: "ana", aud: "demo", role: "admin", agents: ["a"] });
  assert.ok(iat >= begun && exp === iat + 60 && expires_at === exp);
  assert.equal(requests.length, sent);
});

test("an unknown option names the nearest known one", async () => {
  const sdk = new ChatSDK({ baseUrl, projectId: "demo", apiKey: "key", apiSecret });
  await assert.rejects(sdk.sendMessage("hi", { chatid: "c" }), { name: "TypeError", message: /chatid is unknown; did you mean chatId\?/ });
  await assert.rejects(sdk.sendMessageStream("hi", { onChunck() {} }), { message: /onChunck is unknown; did you mean onChunk\?/ });
  await assert.rejects(sdk.createAccessToken({ userID: "ana" }), { message: /userID is unknown; the options are userId/ });
  assert.throws(() => new ChatSDK({ baseUrl, projectId: "demo", accessToken: "t", wasmURL: "http://[" }), { message: /wasmURL is not an address/ });
  assert.throws(() => new ChatSDK({ baseUrl, projectId: 5, accessToken: "t" }), { message: /projectId is a number, want a string/ });
  await assert.rejects(sdk.updateChatName("c"), { name: "TypeError", message: /newName is missing/ });
  assert.throws(() => new ChatSDK({ baseURL: baseUrl, projectId: "demo", accessToken: "t" }), { message: /baseURL is unknown/ });
});

// The timeout of a call is a timer of two minutes. It must not keep a finished program running,
// while the timer of a wait must keep an unfinished one running.
for (const [name, answers] of [["that has its answer", 0], ["that tries again", 2]]) {
  test(`a program ${name} ends when it is done`, () => {
    const { status, stdout, signal } = spawnSync(process.execPath, ["--input-type=module", "--eval", `
      import { ChatSDK } from ${JSON.stringify(new URL("../../dist/chatsdk.mjs", import.meta.url).href)};
      let refusals = ${answers};
      globalThis.fetch = async () => (refusals-- > 0 ? new Response("", { status: 503 }) : Response.json({ chats: [] }));
      console.log(JSON.stringify(await new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t", retryDelay: 20 }).listChats()));
    `], { timeout: 60_000, encoding: "utf8" });
    assert.deepEqual({ status, stdout, signal }, { status: 0, stdout: '{"chats":[]}\n', signal: null });
  });
}

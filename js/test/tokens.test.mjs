// The accessToken function of the built package: one that hangs, fails or returns something that is
// not a token, and the 401s after which it is called again.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

const empty = () => Response.json({ chats: [], has_more: false });
const client = (accessToken, settings) =>
  new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", retryDelay: 0, accessToken, ...settings });

await ChatSDK.preload();

test("a function that hangs once fails only that call", async () => {
  new FakeService(empty);
  let asked = 0;
  const sdk = client(() => (++asked === 1 ? new Promise(() => {}) : "good"), { timeout: 500, maxRetries: 0 });
  await assert.rejects(sdk.listChats(), { code: "TIMEOUT", retryable: true, message: "listChats: the accessToken function gave nothing in time" });
  assert.deepEqual((await sdk.listChats()).chats, []);
  assert.equal(asked, 2);
});

test("a function that hangs is called again", async () => {
  new FakeService(empty);
  let asked = 0;
  assert.deepEqual((await client(() => (++asked === 1 ? new Promise(() => {}) : "good"), { timeout: 50 }).listChats()).chats, []);
});

test("a function that rejects is called again, as after a lost connection", async () => {
  new FakeService(empty);
  let asked = 0;
  const fails = new TypeError("Failed to fetch");
  const sdk = client(async () => { if (++asked % 4 < 3) throw fails; return "good"; });
  assert.deepEqual((await sdk.listChats()).chats, []);
  asked = 0;
  const never = client(async () => { throw fails; });
  await assert.rejects(never.listChats(), { code: "AUTHENTICATION", retryable: true, cause: fails });
});

test("a function that rejects in mid-answer ends nothing", async () => {
  let asked = 0;
  const all = events("a", "b", "c");
  new FakeService(({ n, headers, signal }) => {
    if (n === 0) return streamed(all.slice(0, 2), signal);
    return headers.authorization === "Bearer good" ? streamed(all.slice(Number(headers["last-event-id"])), signal) : refusal(401, "TOKEN_EXPIRED");
  });
  const sdk = client(async () => {
    if (++asked === 1) return "old";
    if (asked < 6) throw new TypeError("Failed to fetch");
    return "good";
  }, { maxRetries: 0 });
  assert.equal((await sdk.stream("hi").result).content, "abc");
});

for (const [name, value, problem] of [
  ["the whole response of a token endpoint", { access_token: "t", expires_at: 1 }, "gave an object, want its access_token"],
  ["another object", {}, "gave object, want a string"],
  ["nothing", undefined, "gave undefined, want a string"],
  ["a number", 5, "gave number, want a string"],
  ["a BigInt", 5n, "gave bigint, want a string"],
  ["null, as for a user who is signed out", null, "gave null, want a string"],
  ["an empty string", "", "gave an empty text, want a token"],
]) {
  test(`a function that returns ${name} is a mistake, which is not retried`, async () => {
    const service = new FakeService(empty);
    let asked = 0;
    const sdk = client(() => { asked++; return value; });
    await assert.rejects(sdk.listChats(), { name: "APIError", code: "AUTHENTICATION", retryable: false, message: `listChats: the accessToken function ${problem}` });
    assert.equal(asked, 1);
    assert.deepEqual(service.asked, []);
  });
}

for (const [name, refused] of Object.entries({
  "from a gateway, without a code": () => new Response("<html>401</html>", { status: 401, headers: { "content-type": "text/html" } }),
  "with another code": () => refusal(401, "AUTHENTICATION"),
  "for an expired token": () => refusal(401, "TOKEN_EXPIRED"),
})) {
  test(`a 401 ${name} makes the SDK ask once for another token`, async () => {
    let asked = 0;
    const service = new FakeService(({ headers }) => (headers.authorization === "Bearer t2" ? empty() : refused()));
    const sdk = client(() => `t${++asked}`);
    await Promise.all([sdk.listChats(), sdk.listChats(), sdk.listChats()]);
    assert.equal(asked, 2, "once for all calls in flight");
    assert.equal(service.asked.length, 6);
    service.asked.length = asked = 0;
    await assert.rejects(client(() => `x${++asked}`).listChats(), { status: 401 });
    assert.deepEqual([asked, service.asked.length], [2, 2], "a second 401 is final");
  });
}

test("a function that calls its own client gets an error at once", async () => {
  const service = new FakeService(empty);
  const other = client("token-1");
  const inner = async (sdk) => { await new Promise(setImmediate); return sdk.listAgents(); };
  for (const [name, call] of Object.entries({
    listChats: (sdk) => sdk.listChats(),
    stream: (sdk) => sdk.stream("hi").result,
    allChats: async (sdk) => { for await (const chat of sdk.allChats()) assert.ok(chat); },
    listAgents: async (sdk) => { await other.listChats(); return inner(sdk); },
  })) {
    let told;
    const sdk = client(async () => { throw told = await call(sdk).catch((error) => error); }, { maxRetries: 0 });
    await assert.rejects(sdk.getMessage("c1", "m1"), (error) => error.code === "AUTHENTICATION" && error.cause === told);
    assert.equal(told.message, `${name}: the accessToken function calls its own client, and would wait for itself; make another client for it`);
  }
  assert.deepEqual([...new Set(service.asked)], ["GET /project/p1/chat"], "another client may be called");
  // Calls of others wait for the token, though a function is asked for it.
  let give;
  const slow = client(() => new Promise((resolve) => { give = resolve; }));
  const calls = [slow.listChats()];
  while (!give) await new Promise(setImmediate);
  calls.push(slow.listChats());
  give("token-2");
  assert.equal((await Promise.all(calls)).length, 2);
});

// Small things that people meet, of the built package.
import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { runInNewContext } from "node:vm";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { Chat } from "./ai-chat.mjs";
import { events, FakeService, receipt, refusal, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const sdk = new ChatSDK(config);
await ChatSDK.preload();

/** A signal of a polyfill, or of another realm: not an instance of this realm's class. */
class OtherSignal extends EventTarget {
  aborted = false;
  reason = undefined;

  abort() {
    this.aborted = true;
    this.reason = Object.assign(new Error("gone"), { name: "AbortError" });
    this.dispatchEvent(new Event("abort"));
  }
}

test("a signal of another realm aborts a call, a stream and an answer", async () => {
  for (const call of [
    (signal) => sdk.listChats(undefined, undefined, { signal }),
    (signal) => sdk.sendMessageStream("hi", { signal }),
    (signal) => sdk.stream("hi", { signal }).result,
  ]) {
    const service = new FakeService(({ path }) => (path.endsWith("/stop") ? receipt("") : silence()));
    const signal = new OtherSignal();
    const outcome = assert.rejects(call(signal), { name: "AbortError" });
    await until(() => service.asked.length === 1);
    signal.abort();
    await outcome;
    await assert.rejects(call(signal), { name: "AbortError" });
  }
  await assert.rejects(sdk.listAgents({ signal: { aborted: "no" } }), { name: "TypeError", message: /signal is an object, want an AbortSignal/ });
});

test("options that are no object are refused", async () => {
  for (const [options, name] of [[[], "an Array"], [new Date(), "a Date"], [new AbortController().signal, "an AbortSignal"], ["x", "a string"]]) {
    await assert.rejects(sdk.listAgents(options), { name: "TypeError", message: `listAgents: the options are ${name}, want an object` });
    await assert.rejects(sdk.getChatHistory("c1", options), { name: "TypeError", message: `getChatHistory: the options are ${name}, want an object` });
  }
});

test("an async callback that rejects is reported, and ends nothing", async () => {
  new FakeService(({ signal }) => streamed(events("a", "b"), signal));
  const told = mock.method(console, "error", () => {});
  let complete;
  await sdk.sendMessageStream("hi", {
    onChunk: async () => { throw new Error("of the page"); },
    onMessageEnd: () => runInNewContext("Promise.reject(new Error('of another realm'))"),
    onComplete: (message) => { complete = `${message}`; },
  });
  await new Promise(setImmediate);
  told.mock.restore();
  assert.equal(complete, "ab");
  assert.deepEqual(told.mock.calls.map(({ arguments: [error] }) => error.message), ["of the page", "of the page", "of another realm"]);
});

test("a call may have its own timeout and maxRetries", async () => {
  const own = { timeout: 30, maxRetries: 1 };
  for (const call of [
    (options) => sdk.listChats(undefined, undefined, options),
    (options) => sdk.sendMessage("hi", options),
    (options) => sdk.sendMessageStream("hi", options),
    (options) => sdk.stream("hi", options).result,
    (options) => sdk.createChat("n", undefined, options),
  ]) {
    const service = new FakeService(({ path }) => (path.endsWith("/stop") ? receipt("") : silence()));
    await assert.rejects(call(own), { code: "TIMEOUT" });
    assert.equal(service.asked.filter((path) => !path.endsWith("/stop")).length, 2);
  }
  const patient = new ChatSDK({ ...config, maxRetries: 5, retryDelay: 0 });
  const service = new FakeService(() => refusal(503, "UNAVAILABLE"));
  await assert.rejects(patient.listAgents({ maxRetries: 0 }), { status: 503 });
  assert.equal(service.asked.length, 1, "0 is none");
  for (const options of [{ timeout: 0 }, { timeout: "5" }, { maxRetries: -1 }, { maxRetries: 1.5 }]) {
    await assert.rejects(sdk.listAgents(options), { name: "TypeError", message: new RegExp(`^listAgents: ${Object.keys(options)[0]} is`) });
  }
  assert.equal(service.asked.length, 1);
});

test("Retry-After may be a date or long, and JSON may have a byte order mark", async () => {
  const patient = new ChatSDK({ ...config, maxRetries: 2, retryDelay: 0 });
  const waitsOf = async (wait) => {
    const service = new FakeService(() => refusal(429, "RATE_LIMITED", { "retry-after": wait }));
    const { retryAfter } = await patient.listChats().catch((error) => error);
    return [service.asked.length, retryAfter];
  };
  const [tries, retryAfter] = await waitsOf(new Date(Date.now() + 3_600_000).toUTCString());
  assert.equal(tries, 1, "nobody waits for an hour");
  assert.ok(retryAfter > 3590 && retryAfter <= 3600, `${retryAfter}`);
  assert.deepEqual(await waitsOf("99999999999"), [1, 2 ** 31 - 1]);
  assert.deepEqual(await waitsOf("soon"), [3, undefined]);
  assert.deepEqual(await waitsOf(new Date(0).toUTCString()), [3, undefined]);
  new FakeService(() => new Response('\ufeff{"chats":[],"has_more":false}', { headers: { "content-type": "application/json" } }));
  assert.deepEqual(await sdk.listChats(), { chats: [], has_more: false });
});

test("a history without a limit is complete, and with one it is a page", async () => {
  const stored = Array.from({ length: 7 }, (_, i) => ({ id: `m${i}`, chat_id: "c1", role: "user", content: `${i}`, created_at: 1 }));
  const service = new FakeService(({ path }) => {
    const before = /before=m(\d)/.exec(path)?.[1] ?? stored.length;
    return Response.json({ id: "c1", chat_id: "c1", name: "C", created_at: 1, messages: stored.slice(Math.max(0, before - 3), before), has_more: before > 3 });
  });
  const { messages, has_more: hasMore } = await sdk.getChatHistory("c1", { messageId: "m6" });
  assert.deepEqual([messages.map(String), hasMore], [stored.map(({ content }) => content), false]);
  assert.equal(service.asked.length, 3);
  assert.ok(service.asked.every((path) => path.includes("message_id=m6")));
  class OfMessage {
    get messageId() {
      return "m6";
    }
  }
  service.asked.length = 0;
  assert.equal((await sdk.getChatHistory("c1", new OfMessage())).messages.length, 7);
  assert.ok(service.asked.every((path) => path.includes("message_id=m6")), "a getter of a class is read");
  const page = await sdk.getChatHistory("c1", { limit: 3 });
  assert.deepEqual([page.messages.map(String), page.has_more], [["4", "5", "6"], true]);

  const deaf = new FakeService(() => Response.json({ id: "c1", chat_id: "c1", name: "C", created_at: 1, messages: stored, has_more: true }));
  const whole = await sdk.getChatHistory("c1");
  assert.deepEqual([whole.messages.length, whole.has_more, deaf.asked.length], [7, true, 2], "a server that does not know before");
});

test("the AI SDK's ids are keys, whatever their characters and their length", async () => {
  const service = new FakeService(({ signal }) => streamed(events("a"), signal));
  const long = "x".repeat(400);
  for (const [id, messageId] of [["chät", "ü"], ["c1", long], ["c1", `${long}y`], ["c1", "\ud800"], ["c1", "\udc00\ud83d\ude00"]]) {
    const chat = new Chat({ id });
    await chat.sendMessage({ id: messageId, role: "user", parts: [{ type: "text", text: "hi" }] });
    assert.equal(chat.error, undefined);
  }
  const [first, ...rest] = service.keys;
  assert.equal(first, "ch%C3%A4t/%C3%BC");
  assert.ok(rest.every((key) => /^[!-~]{1,255}$/.test(key)));
  assert.equal(new Set(service.keys).size, 5);
});

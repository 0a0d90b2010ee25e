// Small things that people meet, of the built package.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { Chat } from "./ai-chat.mjs";
import { events, FakeService, receipt, silence, streamed, until } from "./fake-fetch.mjs";

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
  }
});

test("an async callback that rejects is reported, and ends nothing", async () => {
  new FakeService(({ signal }) => streamed(events("a", "b"), signal));
  const told = mock.method(console, "error", () => {});
  let complete;
  await sdk.sendMessageStream("hi", {
    onChunk: async () => { throw new Error("of the page"); },
    onComplete: (message) => { complete = `${message}`; },
  });
  await new Promise(setImmediate);
  told.mock.restore();
  assert.equal(complete, "ab");
  assert.deepEqual(told.mock.calls.map(({ arguments: [error] }) => error.message), ["of the page", "of the page"]);
});

test("the AI SDK's ids are keys, whatever their characters and their length", async () => {
  const service = new FakeService(({ signal }) => streamed(events("a"), signal));
  const long = "x".repeat(400);
  for (const [id, messageId] of [["chät", "ü"], ["c1", long], ["c1", `${long}y`]]) {
    const chat = new Chat({ id });
    await chat.sendMessage({ id: messageId, role: "user", parts: [{ type: "text", text: "hi" }] });
    assert.equal(chat.error, undefined);
  }
  const [first, ...rest] = service.keys;
  assert.equal(first, "ch%C3%A4t/%C3%BC");
  assert.ok(rest.every((key) => /^[!-~]{1,255}$/.test(key)));
  assert.equal(new Set(service.keys).size, 3);
});

// `signal` on every method of the built package.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { atOnce, events, FakeService, receipt, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const sdk = new ChatSDK(config);
const server = new ChatSDK({ baseUrl: config.baseUrl, projectId: "p1", apiKey: "k", apiSecret: "s".repeat(32) });
const wasm = new URL("../../dist/chatsdk.wasm", import.meta.url).href;
let loads = 0;
/** An SDK whose core is not loaded yet. */
const unloaded = () => new ChatSDK({ ...config, wasmURL: `${wasm}?${loads++}` });

async function drain(iterable) {
  for await (const _ of iterable);
}

let quiet = true; // no callback may be called
const heard = () => assert.ok(!quiet, "a callback was called");
const callbacks = {
  onStart: heard, onChunk: heard, onMessageObject: heard, onComplete: heard, onError: heard, onChatNameUpdate: heard, onDocumentChunk: heard,
  onMessageEnd: heard,
};

/** Each method, and the stop of its answer if it has one. */
const methods = {
  createChat: [(sdk, signal) => sdk.createChat("n", undefined, { signal })],
  listChats: [(sdk, signal) => sdk.listChats(undefined, undefined, { signal })],
  allChats: [(sdk, signal) => drain(sdk.allChats(undefined, { signal }))],
  getChatHistory: [(sdk, signal) => sdk.getChatHistory("c1", { signal })],
  getMessage: [(sdk, signal) => sdk.getMessage("c1", "m1", { signal })],
  selectBranch: [(sdk, signal) => sdk.selectBranch("c1", "m1", { signal })],
  deleteChat: [(sdk, signal) => sdk.deleteChat("c1", { signal })],
  updateChatName: [(sdk, signal) => sdk.updateChatName("c1", "n", { signal })],
  sendMessage: [(sdk, signal, detachOnAbort) => sdk.sendMessage("hi", { signal, detachOnAbort }), true],
  sendMessageStream: [(sdk, signal, detachOnAbort) => sdk.sendMessageStream("hi", { signal, detachOnAbort, ...callbacks }), true],
  stream: [(sdk, signal, detachOnAbort) => sdk.stream("hi", { signal, detachOnAbort }).result, true],
  editMessage: [(sdk, signal, detachOnAbort) => sdk.editMessage("c1", "m1", "hi", { signal, detachOnAbort, ...callbacks }), true],
  regenerateMessage: [(sdk, signal, detachOnAbort) => sdk.regenerateMessage("c1", "m1", { signal, detachOnAbort, ...callbacks }), true],
  resumeStream: [(sdk, signal) => sdk.resumeStream("c1", { signal, ...callbacks })],
  stop: [(sdk, signal) => sdk.stop({ streamId: "s1", signal })],
  sendFeedback: [(sdk, signal) => sdk.sendFeedback("m1", "c1", true, { signal })],
  listAgents: [(sdk, signal) => sdk.listAgents({ signal })],
  uploadDocument: [(sdk, signal) => sdk.uploadDocument(new Blob(["x"]), { signal })],
  listDocuments: [(sdk, signal) => sdk.listDocuments({ signal })],
  getDocument: [(sdk, signal) => sdk.getDocument("d1", { signal })],
  deleteDocument: [(sdk, signal) => sdk.deleteDocument("d1", { signal })],
  getMemorySettings: [(sdk, signal) => sdk.getMemorySettings("a1", { signal })],
  updateMemorySettings: [(sdk, signal) => sdk.updateMemorySettings("a1", { signal })],
  listMemories: [(sdk, signal) => sdk.listMemories("a1", { signal })],
  listUserMemories: [(sdk, signal) => sdk.listUserMemories("a1", "u1", { signal })],
  listPendingMemories: [(sdk, signal) => sdk.listPendingMemories({ signal })],
  approveMemory: [(sdk, signal) => sdk.approveMemory("m1", { signal })],
  rejectMemory: [(sdk, signal) => sdk.rejectMemory("m1", { signal })],
  deleteMemory: [(sdk, signal) => sdk.deleteMemory("m1", { signal })],
  getMemoryStats: [(sdk, signal) => sdk.getMemoryStats("a1", { signal })],
  deleteUserMemories: [(sdk, signal) => sdk.deleteUserMemories("a1", "u1", { signal })],
  createMemory: [(sdk, signal) => sdk.createMemory("a1", "u1", { memoryContent: "c", memoryType: "fact", signal })],
  updateMemory: [(sdk, signal) => sdk.updateMemory("m1", { memoryContent: "c", memoryType: "fact", signal })],
  decideMemories: [(sdk, signal) => sdk.decideMemories({ action: "approve", memoryIds: ["m1"], signal })],
  answersOfMemory: [(sdk, signal) => sdk.answersOfMemory("m1", { signal })],
  listErasures: [(sdk, signal) => sdk.listErasures("a1", { signal })],
  memoriesOfSource: [(sdk, signal) => sdk.memoriesOfSource("a1", { chatId: "c1", signal })],
  listToolCalls: [(sdk, signal) => sdk.listToolCalls({ signal })],
  getToolCall: [(sdk, signal) => sdk.getToolCall("t1", { signal })],
  approveToolCall: [(sdk, signal) => sdk.approveToolCall("t1", { signal })],
  denyToolCall: [(sdk, signal) => sdk.denyToolCall("t1", "no", { signal })],
  createAccessToken: [(_, signal) => server.createAccessToken({ userId: "u1", signal })],
};

test("preload stops at once, and loads when it is called again", async () => {
  const wasmURL = `${wasm}?${loads++}`;
  const controller = new AbortController();
  const given = ChatSDK.preload({ wasmURL, signal: controller.signal });
  controller.abort();
  await assert.rejects(given, { name: "AbortError" });
  await assert.rejects(ChatSDK.preload({ wasmURL, signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(ChatSDK.preload({ wasmURL, signal: 5 }), { name: "TypeError", message: /preload: signal is a number/ });
  await ChatSDK.preload({ wasmURL });
});

test("every method is here", () => {
  assert.deepEqual(Object.keys(methods).sort(), Object.getOwnPropertyNames(ChatSDK.prototype).filter((name) => !["constructor", "close"].includes(name)).sort());
});

function requireAborted(outcome) {
  assert.ok(outcome, "the promise has not settled");
  assert.equal(outcome.error?.name, "AbortError", String(outcome.error));
  assert.ok(outcome.error instanceof DOMException);
}

const listeners = (signal) => getEventListeners(signal, "abort").length;

for (const [name, [call, stopped]] of Object.entries(methods)) {
  test(`${name}: aborted already`, async () => {
    const service = new FakeService(silence);
    const signal = AbortSignal.abort();
    requireAborted(await atOnce(call(sdk, signal)));
    await new Promise(setImmediate);
    assert.deepEqual(service.asked, []);
    assert.equal(listeners(signal), 0);
  });

  test(`${name}: aborted before the core is loaded`, async () => {
    const service = new FakeService(silence);
    const controller = new AbortController();
    const fresh = unloaded();
    const call_ = call(fresh, controller.signal);
    controller.abort();
    requireAborted(await atOnce(call_));
    assert.equal(listeners(controller.signal), 0);
    await ChatSDK.preload({ wasmURL: `${wasm}?${loads - 1}` });
    await new Promise(setImmediate);
    assert.deepEqual(service.asked, []);
  });

  test(`${name}: an invalid signal`, async () => {
    const service = new FakeService(silence);
    for (const signal of [5, "now", {}, true]) {
      await assert.rejects(call(sdk, signal), { name: "TypeError", message: /: signal is (a number|a string|an object|a boolean), want an AbortSignal$/ });
    }
    assert.deepEqual(service.asked, []);
  });

  test(`${name}: nothing listens after the call`, async () => {
    new FakeService(() => new Response("{}", { status: 404, headers: { "content-type": "application/json" } }));
    const { signal } = new AbortController();
    quiet = false;
    await call(sdk, signal).catch(() => {});
    quiet = true;
    await new Promise(setImmediate);
    assert.equal(listeners(signal), 0);
  });

  if (name === "createAccessToken") {
    continue; // it sends nothing
  }

  test(`${name}: aborted in flight`, async () => {
    for (const detach of [false, true]) {
      const service = new FakeService(({ path }) => (path.endsWith("/stop") && service.asked.length > 1 ? receipt("a") : silence()));
      const controller = new AbortController();
      const running = call(sdk, controller.signal, detach);
      running.catch(() => {});
      await until(() => service.asked.length === 1);
      controller.abort();
      requireAborted(await atOnce(running));
      await until(() => service.signals[0].aborted);
      if (stopped && !detach) {
        await until(() => service.asked.length === 2);
        assert.equal(service.asked[1], "POST /v3/chat/stop");
        assert.equal(service.keys[1], service.keys[0]);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(service.asked.length, stopped && !detach ? 2 : 1);
      assert.equal(listeners(controller.signal), 0);
    }
  });
}

test("the reason of an abort", async () => {
  new FakeService(silence);
  const mine = new DOMException("mine", "AbortError");
  for (const reason of ["why", new Error("why"), new DOMException("late", "TimeoutError"), null, 0]) {
    const { error } = await atOnce(sdk.listChats(undefined, undefined, { signal: AbortSignal.abort(reason) }));
    requireAborted({ error });
  }
  assert.equal((await atOnce(sdk.listChats(undefined, undefined, { signal: AbortSignal.abort(mine) }))).error, mine);
  assert.equal((await atOnce(sdk.stream("hi", { signal: AbortSignal.abort(mine) }).result)).error, mine);
});

test("a timeout signal of the platform", async () => {
  new FakeService(silence);
  await assert.rejects(sdk.listChats(undefined, undefined, { signal: AbortSignal.timeout(1) }), { name: "AbortError" });
});

test("after the abort only onMessageEnd is called, though the rest has been read", async () => {
  for (const at of ["a", "b"]) {
    new FakeService(({ path, signal }) => (path.endsWith("/stop") ? receipt("a") : streamed([events("a", "b", "c").join("")], signal)));
    const controller = new AbortController();
    const names = [];
    const note = (name) => (value) => names.push(`${name} ${value}`);
    await assert.rejects(sdk.sendMessageStream("hi", {
      signal: controller.signal,
      onChunk: (chunk) => { note("chunk")(chunk); if (chunk === at) controller.abort(); },
      onComplete: note("complete"), onError: note("error"), onMessageEnd: note("end"),
    }), { name: "AbortError" });
    assert.deepEqual(names, at === "a" ? ["chunk a", "end undefined"] : ["chunk a", "chunk b", "end undefined"]);
  }
});

test("an abort in mid-answer stops it by the stream's id, once", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/stop") ? receipt("a") : streamed(events("a", "b").slice(0, 2), signal, true)));
  const controller = new AbortController();
  await assert.rejects(sdk.sendMessageStream("hi", { signal: controller.signal, onChunk: () => controller.abort() }), { name: "AbortError" });
  await until(() => service.asked.length === 2);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(service.asked, ["POST /v3/chat/message", "POST /v3/chat/stream/s1/stop"]);
});

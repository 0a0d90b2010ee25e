// Values of a page that are hostile to whoever reads them: what it throws, returns, and streams.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };

function revoked() {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const throwing = new Proxy(new Error("seen"), {
  get() {
    throw new Error("a trap");
  },
  getPrototypeOf() {
    throw new Error("a trap");
  },
});
const hostile = {
  "a getter that throws": { get message() { throw new Error("a getter"); } },
  "a message whose getter throws a proxy": { get message() { throw revoked(); } },
  "a revoked proxy": revoked(),
  "a proxy that throws": throwing,
  "no prototype": Object.create(null),
  "a symbol": Symbol("s"),
  "a BigInt": 1n,
  "a function": () => {},
  undefined,
};

/** Does something while another client reads an answer, and checks that the answer goes on. */
async function beside(work) {
  let go;
  const rest = new Promise((resolve) => (go = resolve));
  const parts = events("one ", "two");
  const service = new FakeService(({ path, signal }) => {
    if (!path.includes("/chat/message")) {
      return Response.json({ chats: [], has_more: false });
    }
    const encoder = new TextEncoder();
    const body = new ReadableStream({
      async start(controller) {
        parts.slice(0, 2).forEach((part) => controller.enqueue(encoder.encode(part)));
        await rest;
        parts.slice(2).forEach((part) => controller.enqueue(encoder.encode(part)));
        controller.close();
      },
    });
    signal.addEventListener("abort", () => go());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  });
  const other = new ChatSDK(config);
  let text = "";
  const reading = other.sendMessageStream("hi", { chatId: "c1", onChunk: (part) => (text += part) });
  await until(() => text === "one ");
  await work(service);
  go();
  await reading;
  assert.equal(text, "one two");
  other.close();
}

for (const [name, value] of Object.entries(hostile)) {
  test(`a token function that throws ${name} fails its own call alone`, () => beside(async () => {
    const sdk = new ChatSDK({ ...config, accessToken: () => { throw value; } });
    await assert.rejects(sdk.listChats(), (error) => {
      assert.equal(error.name, "APIError");
      assert.equal(error.code, "AUTHENTICATION");
      assert.ok(value === undefined || Object.is(error.cause, value));
      return true;
    });
    sdk.close();
  }));
}

test("a token function that returns a hostile object fails its own call alone", () => beside(async () => {
  for (const token of [{ get access_token() { throw revoked(); } }, new Proxy({}, { get: (_, name) => { if (name !== "then") throw 1; } })]) {
    const sdk = new ChatSDK({ ...config, accessToken: () => token });
    await assert.rejects(sdk.listChats(), { name: "APIError", code: "AUTHENTICATION" });
    sdk.close();
  }
}));

test("a fetch that rejects with a hostile value fails its own call alone", () => beside(async () => {
  const { fetch } = globalThis;
  for (const value of Object.values(hostile)) {
    globalThis.fetch = () => Promise.reject(value);
    await assert.rejects(new ChatSDK(config).listChats(), { name: "APIError", code: "NETWORK" });
  }
  globalThis.fetch = fetch;
}));

test("a stream that gives something other than bytes fails its own call alone", () => beside(async () => {
  const { fetch } = globalThis;
  for (const value of ["event: chunk\n\n", { length: 4e9 }, 7, new ArrayBuffer(4)]) {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(value) });
    globalThis.fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    await assert.rejects(new ChatSDK({ ...config, resumeTimeout: 0 }).sendMessageStream("x", { chatId: "c1" }), { name: "APIError" });
  }
  globalThis.fetch = fetch;
}));

test("an abort with a hostile reason rejects at once", async () => {
  for (const value of Object.values(hostile)) {
    const service = new FakeService(silence);
    const controller = new AbortController();
    const sdk = new ChatSDK(config);
    const call = sdk.listChats(undefined, undefined, { signal: controller.signal });
    await until(() => service.asked.length === 1);
    controller.abort(value);
    await assert.rejects(call, { name: "AbortError" });
    await assert.rejects(sdk.listChats(undefined, undefined, { signal: controller.signal }), { name: "AbortError" });
    sdk.close();
  }
});

test("a callback that throws a hostile value ends nothing", async () => {
  const seen = [];
  globalThis.reportError = (error) => seen.push(`${error.message}`); // throws for some
  new FakeService(({ signal }) => streamed(events("one ", "two"), signal));
  const sdk = new ChatSDK(config);
  for (const value of Object.values(hostile)) {
    let text = "";
    await sdk.sendMessageStream("hi", { chatId: "c1", onChunk: (part) => { text += part; throw value; } });
    assert.equal(text, "one two");
  }
  delete globalThis.reportError;
  sdk.close();
});

test("metadata that JSON would lose is refused, and nothing is sent", async () => {
  const service = new FakeService(() => Response.json({ chat_id: "c1" }));
  const sdk = new ChatSDK(config);
  const file = new File(["x"], "x.txt");
  for (const [metadata, kind, path] of [
    [{ a: new Map([[1, 2]]) }, "Map", ".a"], [new Map([["a", 1]]), "Map", ""], [{ a: [file] }, "File", ".a\\[0\\]"], [{ a: NaN }, "NaN", ".a"],
    [{ a: new Response() }, "Response", ".a"], [{ a: new Error("e") }, "Error", ".a"], [{ a() {} }, "function", ".a"], [{ a: /x/ }, "RegExp", ".a"],
    [{ a: new Date(NaN) }, "Invalid Date", ".a"], [{ a: { b: [[], { c: 1n }] } }, "bigint", ".a.b\\[1\\].c"],
  ]) {
    const wanted = { name: "TypeError", message: new RegExp(`metadata${path} cannot be sent: JSON has no ${kind}$`) };
    await assert.rejects(sdk.createChat("n", undefined, { metadata }), wanted);
    await assert.rejects(sdk.sendMessage("hi", { metadata }), wanted);
    await assert.rejects(sdk.uploadDocument(file, { metadata }), wanted);
  }
  assert.deepEqual(service.asked, []);
  await sdk.createChat("n", undefined, { metadata: { at: new Date(0), none: null, of: new class { a = 1; }() } });
  assert.equal(service.asked.length, 1);
  sdk.close();
});

// Answers of a server that is not the service, or of one in between.
const calls = {
  createChat: (sdk) => sdk.createChat(),
  listChats: (sdk) => sdk.listChats(),
  allChats: async (sdk) => { for await (const chat of sdk.allChats()) { assert.ok(chat); } },
  getChatHistory: (sdk) => sdk.getChatHistory("c1"),
  getMessage: (sdk) => sdk.getMessage("c1", "m1"),
  selectBranch: (sdk) => sdk.selectBranch("c1", "m1"),
  sendMessage: (sdk) => sdk.sendMessage("hi"),
  sendMessageStream: (sdk) => sdk.sendMessageStream("hi"),
  stop: (sdk) => sdk.stop({ streamId: "s1" }),
  listAgents: (sdk) => sdk.listAgents(),
  uploadDocument: (sdk) => sdk.uploadDocument(new Blob(["x"])),
  listDocuments: (sdk) => sdk.listDocuments(),
  getDocument: (sdk) => sdk.getDocument("d1"),
  updateMemorySettings: (sdk) => sdk.updateMemorySettings("a1", { autoApprove: true }),
  listMemories: (sdk) => sdk.listMemories("a1"),
  listUserMemories: (sdk) => sdk.listUserMemories("a1", "u1"),
  listPendingMemories: (sdk) => sdk.listPendingMemories(),
  memoriesOfSource: (sdk) => sdk.memoriesOfSource("a1", { chatId: "c1" }),
  approveMemory: (sdk) => sdk.approveMemory("m1"),
  rejectMemory: (sdk) => sdk.rejectMemory("m1"),
  decideMemories: (sdk) => sdk.decideMemories({ action: "approve", memoryIds: ["m1"] }),
  createMemory: (sdk) => sdk.createMemory("a1", "u1", { memoryContent: "c", memoryType: "fact" }),
  updateMemory: (sdk) => sdk.updateMemory("m1", { memoryContent: "c", memoryType: "fact" }),
  answersOfMemory: (sdk) => sdk.answersOfMemory("m1"),
  listErasures: (sdk) => sdk.listErasures("a1"),
  getMemoryStats: (sdk) => sdk.getMemoryStats("a1"),
  deleteUserMemories: (sdk) => sdk.deleteUserMemories("a1", "u1"),
  listToolCalls: (sdk) => sdk.listToolCalls(),
  getToolCall: (sdk) => sdk.getToolCall("t1"),
  approveToolCall: (sdk) => sdk.approveToolCall("t1"),
  denyToolCall: (sdk) => sdk.denyToolCall("t1"),
};
const fields = [
  "chats", "messages", "content", "message", "message_id", "agents", "docs", "document_key", "settings", "memories_by_user", "memories", "approvals",
  "memory", "results", "id", "answers", "erasures", "total", "success", "tool_calls", "call", "chat_id",
];
const shapes = [{}, [], null, 5, { ok: true }, ...[null, [null], [5]].map((value) => Object.fromEntries(fields.map((field) => [field, value])))];

for (const [name, call] of Object.entries(calls)) {
  test(`${name}, whose answer has another shape, is an APIError that names it`, async () => {
    const sdk = new ChatSDK(config);
    for (const shape of name === "listUserMemories" ? shapes.filter((shape) => !Array.isArray(shape)) : shapes) { // an older service has no pages
      new FakeService(() => Response.json(shape));
      await assert.rejects(call(sdk), (error) => {
        assert.equal(error.name, "APIError", `${JSON.stringify(shape)}: ${error}`);
        assert.match(error.message, new RegExp(`^${name.trim()}: the answer cannot be read: `));
        return true;
      });
    }
    sdk.close();
  });
}

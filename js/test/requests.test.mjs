// What each request of a client is sent with: the page's own fetch and headers, the logger of a call, and the progress.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, receipt, refusal, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const list = () => Response.json({ chats: [], has_more: false }, { headers: { "x-request-id": "r-7" } });

/** A service that only the page's own fetch reaches. */
function ownService(answer) {
  const service = new FakeService(answer);
  service.fetch = globalThis.fetch;
  globalThis.fetch = () => assert.fail("the global fetch was called");
  return service;
}

test("every request goes through the page's own fetch, with its headers", async () => {
  const seen = [];
  const service = ownService(({ n, path, headers, signal }) => {
    seen.push(headers);
    if (path.endsWith("/stop")) return receipt("a");
    if (path.includes("/knowledge")) return Response.json({ document_key: "d1", status: "queued" });
    if (n === 4) return Response.json({ message: { id: "m2", chat_id: "c1", role: "assistant", content: "ab", created_at: 1, finish_reason: "stop" } });
    if (path.includes("/chat/message")) return streamed(events("a", "b").slice(0, 2), signal);
    return path.includes("/stream/") ? streamed(events("a", "b").slice(2), signal) : list();
  });
  const sdk = new ChatSDK({ ...config, fetch: service.fetch, headers: { "X-Tenant": "t1", "x-none": undefined } });
  await sdk.listChats();
  await sdk.uploadDocument(new File(["x"], "a.md"), { onProgress() {} });
  let text = "";
  await sdk.sendMessageStream("hi", { onChunk: (chunk) => { text += chunk; } });
  assert.equal(text, "ab");
  await sdk.sendMessage("hi", { images: [new Blob(["x"])], onUploadProgress() {} });
  await sdk.stop({ streamId: "s1" });
  assert.deepEqual(service.asked.map((asked) => asked.split("?")[0]), [
    "GET /project/p1/chat", "POST /v3/project/knowledge/add/file", "POST /v3/chat/message", "GET /v3/chat/stream/s1 2", "POST /v3/chat/message",
    "POST /v3/chat/stream/s1/stop",
  ]);
  for (const headers of seen) {
    assert.deepEqual([headers["x-tenant"], "x-none" in headers, headers.authorization], ["t1", false, "Bearer token-1"]);
  }
  sdk.close();
});

test("an answer that is left when the client closes is stopped through the page's own fetch", async () => {
  const service = ownService(({ path }) => (path.endsWith("/stop") ? receipt("") : silence()));
  const sdk = new ChatSDK({ ...config, fetch: service.fetch });
  const controller = new AbortController();
  const answer = assert.rejects(sdk.sendMessage("hi", { signal: controller.signal }), { name: "AbortError" });
  await until(() => service.asked.length === 1);
  controller.abort();
  sdk.close();
  await answer;
  await until(() => service.asked.includes("POST /v3/chat/stop"));
});

test("a fetch that gives no Response is told", async () => {
  for (const [gives, name] of [[undefined, "undefined"], [null, "null"], ["{}", "a string"], [{}, "an object"]]) {
    await assert.rejects(new ChatSDK({ ...config, fetch: async () => gives }).listChats(), (error) => {
      assert.equal(error.cause.message, `the setting fetch gave ${name}, want a Response`);
      return error.code === "NETWORK";
    });
  }
});

test("fetch and headers may be undefined, and wrong ones are refused", async () => {
  new FakeService(list);
  await new ChatSDK({ ...config, fetch: undefined, headers: undefined }).listChats();
  for (const [settings, problem] of [
    [{ fetch: "x" }, "fetch is a string, want a function"],
    [{ fetch() {}, worker: true }, "fetch is set as well as worker, and a worker cannot call a function of the page; set only one"],
    [{ headers: { Authorization: "Basic x" } }, "headers has authorization, which the SDK sets itself"],
    [{ headers: { "Last-Event-ID": "1" } }, "headers has last-event-id, which the SDK sets itself"],
    [{ headers: { "a b": "x" } }, 'headers has "a b" twice, or what a header cannot carry'],
    [{ headers: { "x-a": "1", "X-A": "2" } }, 'headers has "X-A" twice, or what a header cannot carry'],
    [{ headers: { "x-a": "ü" } }, 'headers has "x-a" twice, or what a header cannot carry'],
    [{ headers: new Headers({ "x-a": "1" }) }, 'headers is an object, want names and texts such as {"x-tenant": "t1"}'],
  ]) {
    assert.throws(() => new ChatSDK({ ...config, ...settings }), { name: "TypeError", message: `ChatSDK: ${problem}` });
  }
});

test("headers are those of the moment when the client was made", async () => {
  let seen;
  new FakeService(({ headers }) => { seen = headers; return list(); });
  const headers = { "x-tenant": "t1" };
  const sdk = new ChatSDK({ ...config, headers });
  headers["x-tenant"] = "t2";
  await sdk.listChats();
  assert.equal(seen["x-tenant"], "t1");
});

test("the logger of a call gets its requests, also of a success, after the client's", async () => {
  const heard = [];
  const sdk = new ChatSDK({ ...config, maxRetries: 1, retryDelay: 0, logger: ({ requestId }) => heard.push(`client ${requestId}`) });
  new FakeService(({ n }) => (n === 0 ? refusal(503, "UNAVAILABLE") : list()));
  const logger = ({ operation, status, requestId }) => heard.push(`${operation} ${status} ${requestId}`);
  await sdk.listChats(undefined, undefined, { logger });
  await sdk.listChats();
  assert.deepEqual(heard, ["client r-1", "listChats 503 r-1", "client r-7", "listChats 200 r-7", "client r-7"]);
  heard.length = 0;
  new FakeService(({ signal }) => streamed(events("a"), signal));
  await sdk.stream("hi", { logger }).result;
  await sdk.sendMessageStream("hi", { logger });
  assert.deepEqual(heard.filter((line) => line.startsWith("s")), ["sendMessageStream 200 r-1", "sendMessageStream 200 r-1"]);
  await assert.rejects(sdk.listAgents({ logger: console }), { name: "TypeError", message: "listAgents: logger is an object, want a function" });
  new FakeService(list);
  const report = console.error;
  console.error = () => {};
  await sdk.listChats(undefined, undefined, { logger() { throw new Error("mine"); } }).finally(() => { console.error = report; });
});

test("a message without images has its progress, too", async () => {
  new FakeService(({ signal }) => streamed(events("a"), signal));
  const told = [];
  const onUploadProgress = (...numbers) => told.push(numbers);
  const sdk = new ChatSDK(config);
  await sdk.sendMessageStream("hü", { onUploadProgress });
  await sdk.sendMessageStream("hi", { images: [new Blob(["12345"])], onUploadProgress });
  assert.deepEqual(told, [[3, 3], [7, 7]]);
});

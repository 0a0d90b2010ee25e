// What callbacks may do while they get an answer, and what is passed to fetch.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService, silence, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };

// An answer that is not a stream: the core itself makes its events.
test("a callback of a whole answer may abort another call, and begin one", async () => {
  const service = new FakeService(({ method, body }) => {
    if (method === "GET") {
      return Response.json({ chats: [], has_more: false });
    }
    return body.get("message") === "wait" ? silence() : Response.json({ message: "hello", chat_id: "c1", message_id: "m1" });
  });
  const sdk = new ChatSDK(config);
  const controller = new AbortController();
  const other = assert.rejects(sdk.sendMessage("wait", { signal: controller.signal, detachOnAbort: true }), { name: "AbortError" });
  await until(() => service.asked.length === 1);
  let listed;
  let text = "";
  await sdk.sendMessageStream("hi", {
    onChunk: (chunk) => {
      text += chunk;
      controller.abort();
      listed = sdk.listChats();
    },
  });
  assert.equal(text, "hello");
  assert.deepEqual(await listed, { chats: [], has_more: false });
  await other;
  assert.ok(service.signals[0].aborted, "the request goes on");
});

test("a request carries no cookies, is not cached, and follows no redirect", async () => {
  let seen;
  globalThis.fetch = async (_, init) => {
    seen = init;
    return Response.json({ chats: [], has_more: false });
  };
  await new ChatSDK(config).listChats();
  const { signal, headers, ...rest } = seen;
  assert.ok(signal instanceof AbortSignal);
  assert.deepEqual(headers, { accept: "application/json", authorization: "Bearer token-1" });
  assert.deepEqual(rest, { method: "GET", credentials: "omit", cache: "no-store", redirect: "error" });
});

test("a list that is malformed JSON, or not an object, cannot be read", async () => {
  for (const text of ["[]", "{", '{"chats":', "null", ""]) {
    globalThis.fetch = async () => new Response(text, { headers: { "content-type": "application/json", "x-request-id": "r-1" } });
    await assert.rejects(new ChatSDK(config).listChats(), ({ name, message }) =>
      name === "APIError" && (text === "" ? /connection was lost/ : /^listChats: the answer cannot be read/).test(message), text);
  }
});

// editMessage(), selectBranch(), onStart and the answer that resumeStream() follows, in the built
// package.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", retryDelay: 0 });
const started = { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" };

test("an edit names its question, and reports the ids first", async () => {
  let form;
  const service = new FakeService(({ body, signal }) => {
    form = body;
    return streamed(events("a", "b"), signal);
  });
  const heard = [];
  await sdk.editMessage("c1", "q1", "why?", {
    images: [new File(["i"], "i.png")], idempotencyKey: "key-1",
    onStart: (start) => heard.push(start), onChunk: (chunk) => heard.push(chunk), onComplete: ({ content }) => heard.push(content),
  });
  assert.deepEqual(heard, [started, "a", "b", "ab"]);
  assert.deepEqual(service.asked, ["POST /v3/chat/message"]);
  assert.deepEqual(service.keys, ["key-1"]);
  assert.deepEqual(["message", "chat_id", "edits"].map((name) => form.get(name)), ["why?", "c1", "q1"]);
  assert.equal(form.get("images").name, "i.png");
});

test("an edit with wrong arguments is refused before anything is sent", async () => {
  const service = new FakeService(() => assert.fail());
  for (const [args, message] of [
    [["c1", "", "hi"], "editMessage: messageId is empty"],
    [["c1", undefined, "hi"], "editMessage: messageId is empty"],
    [["", "q1", "hi"], "editMessage: chatId is empty"],
    [["c1", "q1", " "], "editMessage: message is blank"],
    [["c1", "q1", "hi", { edits: "q2" }], "editMessage: edits is unknown, pass the question before the options"],
    [["c1", "q1", "hi", { parentId: "a1" }], "editMessage: parentId is unknown, pass the question before the options"],
    [["c1", "q1", "hi", { chatId: "c2" }], "editMessage: chatId is not an option; pass it before the options"],
    [["c1", "q1", "hi", { onStart: 1 }], "editMessage: onStart is a number, want a function"],
  ]) {
    await assert.rejects(sdk.editMessage(...args), { name: "TypeError", message });
  }
  assert.deepEqual(service.asked, []);
});

test("selecting a branch is retried with the same key", async () => {
  const service = new FakeService(({ n }) => (n === 0 ? refusal(503, "UNAVAILABLE") : Response.json({ message_id: "m9" })));
  assert.deepEqual(await sdk.selectBranch("c1", "m1", { idempotencyKey: "key-1" }), { message_id: "m9" });
  assert.deepEqual(service.asked, ["POST /chat/branch", "POST /chat/branch"]);
  assert.deepEqual(service.keys, ["key-1", "key-1"]);
  const minted = new FakeService(() => Response.json({ message_id: "m9" }));
  await sdk.selectBranch("c1", "m1");
  await sdk.selectBranch("c1", "m1");
  assert.equal(new Set(minted.keys).size, 2);
});

test("the answer that is named is followed, on the path or not", async () => {
  const service = new FakeService(({ path, signal }) =>
    path.includes("/message/") ? Response.json({ id: "m2", chat_id: "c1", role: "assistant", content: "", stream_id: "s1" }) : streamed(events("a"), signal));
  const heard = [];
  assert.equal(await sdk.resumeStream("c1", { messageId: "m2", onStart: (start) => heard.push(start), onChunk: (chunk) => heard.push(chunk) }), true);
  assert.deepEqual(heard, [started, "a"]);
  assert.deepEqual(service.asked, ["GET /project/p1/chat/c1/message/m2", "GET /v3/chat/stream/s1"]);

  new FakeService(() => Response.json({ id: "m2", chat_id: "c1", role: "assistant", content: "a", finish_reason: "stop" }));
  assert.equal(await sdk.resumeStream("c1", { messageId: "m2" }), false);
});

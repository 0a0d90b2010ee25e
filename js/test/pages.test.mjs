// Pages and ranges: what the methods send, and how they read the answers of services with and
// without pages.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com/v1", projectId: "p1", accessToken: "token-1" });
const memory = { id: "m1", agent_id: "a1", user_id: "u1", later: { kept: [1] } };

/** Answers each request with the next of these answers, and records the requests. */
function answering(...answers) {
  const asked = [];
  globalThis.fetch = async (url, { method, body }) => {
    asked.push([method, url.replace("https://api.example.com/v1", ""), body]);
    const { answer, hasMore } = answers[asked.length - 1];
    return Response.json(answer, { headers: hasMore ? { "x-has-more": String(hasMore) } : {} });
  };
  return asked;
}

const calls = [
  ["getChatHistory", ["c1", { before: "m/9", limit: 20 }], ["GET", "/project/p1/chat/c1/all?before=m%2F9&limit=20"],
    { chat_id: "c1", metadata: { a: [1] }, messages: [], has_more: true }],
  ["listMemories", ["a1", { status: "pending", userId: "u1", cursor: "n=2", limit: 5 }],
    ["GET", "/agents/a1/memories?status=pending&user_id=u1&cursor=n%3D2&limit=5"],
    { memories_by_user: { u1: [memory] }, total_users: 1, total_memories: 9, next_cursor: "n3", has_more: true }],
  ["listUserMemories", ["a1", "u1", { type: "fact", cursor: "n2", limit: 5 }], ["GET", "/agents/a1/memories/user/u1?type=fact&cursor=n2&limit=5"],
    { memories: [memory], next_cursor: "n3", has_more: true, later: 1 }],
  ["listUserMemories", ["a1", "u1", { cursor: "n2" }], ["GET", "/agents/a1/memories/user/u1?cursor=n2"], { memories: [], has_more: false }],
  ["listUserMemories", ["a1", "u1", { limit: 1, cursor: undefined }], ["GET", "/agents/a1/memories/user/u1?limit=1"], { memories: [], has_more: false }],
  ["listPendingMemories", [{ agentId: "a1", cursor: "n2", limit: 5 }], ["GET", "/memory-approvals/pending?agent_id=a1&cursor=n2&limit=5"],
    { approvals: [memory], total: 9, next_cursor: "n3", has_more: true }],
  ["listDocuments", [{ nameSearch: "a", cursor: "n2", limit: 5 }], ["POST", "/v3/project/p1/knowledgebase", '{"name_search":"a","cursor":"n2","limit":5}'],
    { docs: [], total: 9, next_cursor: "n3", has_more: true }],
  ["getDocument", ["d1", { start: 0, end: 0 }], ["GET", "/v3/project/p1/knowledgebase/d1?start=0&end=0"],
    { document_key: "d1", text: "", start: 0, end: 0, length: 9 }],
  ["getDocument", ["d1", { start: 5 }], ["GET", "/v3/project/p1/knowledgebase/d1?start=5"], { document_key: "d1", text: "bcde", start: 5, end: 9, length: 9 }],
];

for (const [method, args, [verb, url, body], answer] of calls) {
  test(`${method}(${JSON.stringify(args).slice(1, -1)})`, async () => {
    const asked = answering({ answer });
    assert.deepEqual(await sdk[method](...args), answer);
    assert.deepEqual(asked, [[verb, url, body]]);
  });
}

test("an incomplete list says so, even if no page was requested", async () => {
  for (const [method, args, answer] of [
    ["getChatHistory", ["c1"], { messages: [] }],
    ["listMemories", ["a1"], { memories_by_user: {}, has_more: false }],
    ["listPendingMemories", [], { approvals: [] }],
    ["memoriesOfSource", ["a1", { chatId: "c1" }], { memories_by_user: {}, has_more: false }],
  ]) {
    answering({ answer, hasMore: true }, { answer, hasMore: false }, { answer });
    assert.deepEqual(await sdk[method](...args), { ...answer, has_more: true }, method);
    assert.deepEqual(await sdk[method](...args), answer, method);
    assert.deepEqual(await sdk[method](...args), answer, method);
  }
});

test("an incomplete array of memories says so, and is an array", async () => {
  answering({ answer: [memory], hasMore: true }, { answer: [memory], hasMore: false }, { answer: [] });
  const cut = await sdk.listUserMemories("a1", "u1");
  assert.equal(cut.has_more, true);
  assert.deepEqual([...cut], [memory]);
  assert.ok(Array.isArray(cut));
  assert.deepEqual(await sdk.listUserMemories("a1", "u1"), [memory]);
  assert.deepEqual(await sdk.listUserMemories("a1", "u1", { limit: undefined, cursor: null }), []);
});

test("a service of the first version, which has no pages, returns one page", async () => {
  answering({ answer: [memory] }, { answer: [memory], hasMore: true }, { answer: { memories_by_user: {}, total_users: 0, total_memories: 0 } });
  assert.deepEqual(await sdk.listUserMemories("a1", "u1", { limit: 1 }), { memories: [memory], has_more: false });
  assert.deepEqual(await sdk.listUserMemories("a1", "u1", { cursor: "n2" }), { memories: [memory], has_more: true });
  assert.deepEqual(await sdk.listMemories("a1", { limit: 1 }), { memories_by_user: {}, total_users: 0, total_memories: 0 });
});

test("all memories of a user, page by page", async () => {
  const asked = answering(
    { answer: { memories: [{ id: "m3" }, { id: "m2" }], next_cursor: "n2", has_more: true } },
    { answer: { memories: [{ id: "m1" }], has_more: false } },
  );
  const ids = [];
  let cursor;
  do {
    const page = await sdk.listUserMemories("a1", "u1", { limit: 2, cursor });
    ids.push(...page.memories.map(({ id }) => id));
    cursor = page.next_cursor;
  } while (cursor);
  assert.deepEqual(ids, ["m3", "m2", "m1"]);
  assert.deepEqual(asked.map(([, url]) => url), ["/agents/a1/memories/user/u1?limit=2", "/agents/a1/memories/user/u1?cursor=n2&limit=2"]);
});

test("older messages are read like any others", async () => {
  answering({ answer: { messages: [{ id: "m1", response: "hi", image_urls: ["a.png"] }], has_more: false } });
  const { messages: [message] } = await sdk.getChatHistory("c1", { before: "m2" });
  assert.equal(`${message}`, "hi");
  assert.deepEqual(message.image_urls, ["https://api.example.com/v1/a.png"]);
});

test("an unknown option names the nearest known one, and nothing is sent", async () => {
  const asked = answering();
  await assert.rejects(sdk.getChatHistory("c1", { befor: "m1" }), { name: "TypeError", message: /befor is unknown; did you mean before\?/ });
  await assert.rejects(sdk.getDocument("d1", { strat: 1 }), { message: /strat is unknown; did you mean start\?/ });
  await assert.rejects(sdk.listUserMemories("a1", "u1", { curser: "n2" }), { message: /curser is unknown; did you mean cursor\?/ });
  await assert.rejects(sdk.listDocuments({ limit: "5" }), { message: /limit is a string, want a number/ });
  assert.deepEqual(asked, []);
});

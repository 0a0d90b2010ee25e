// The memory methods of the built package, with a service that answers as docs/protocol.md, Memory,
// says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService, refusal } from "./fake-fetch.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com/v1", projectId: "p1", accessToken: "token-1" });
const memory = {
  id: "m1", agent_id: "a1", user_id: "u1", memory_content: "User prefers short answers", memory_type: "preference", confidence_score: 0.9,
  status: "pending", created_at: 1.5, updated_at: 1.5, expires_at: 604801.5, source_message_id: "q1",
  triggering_message: "I prefer short answers", span: { start: 0, end: 22 }, conflicts_with: ["m0"], later: { kept: [1] },
};
const settings = { memory_enabled: true, max_memories: 50, auto_approve: false, memory_types: ["preference", "fact", "context"] };
const acted = { success: true, message: "Memory approved", memory: { ...memory, status: "approved" }, superseded: ["m0"] };

/** Answers every request with this JSON, and records the requests. */
function answering(answer, status = 200) {
  const asked = [];
  globalThis.fetch = async (url, { method, body }) => {
    asked.push([method, url.replace("https://api.example.com/v1", ""), body === undefined ? undefined : JSON.parse(body)]);
    return Response.json(answer, { status, headers: { "x-request-id": "r-1" } });
  };
  return asked;
}

const calls = [
  ["getMemorySettings", ["a1"], ["GET", "/agents/a1/memory-settings"], settings],
  ["updateMemorySettings", ["a1", {}], ["PUT", "/agents/a1/memory-settings", {}], { success: true, message: "saved", settings }],
  ["updateMemorySettings", ["a1", { memoryEnabled: false, maxMemories: 1000, autoApprove: true, memoryTypes: [] }],
    ["PUT", "/agents/a1/memory-settings", { memory_enabled: false, max_memories: 1000, auto_approve: true, memory_types: [] }],
    { success: true, message: "saved", settings }],
  ["updateMemorySettings", ["a1", { memoryEnabled: undefined, maxMemories: 1, memoryTypes: Object.freeze(["fact"]) }],
    ["PUT", "/agents/a1/memory-settings", { max_memories: 1, memory_types: ["fact"] }], { success: true, message: "saved", settings }],
  ["listMemories", ["a1"], ["GET", "/agents/a1/memories"], { memories_by_user: { u1: [memory] }, total_users: 1, total_memories: 1 }],
  ["listMemories", ["a1", { status: "pending", type: "preference", userId: "ü/1" }],
    ["GET", "/agents/a1/memories?status=pending&type=preference&user_id=%C3%BC%2F1"], { memories_by_user: {}, total_users: 0, total_memories: 0 }],
  ["listMemories", ["a1", null], ["GET", "/agents/a1/memories"], { memories_by_user: {}, total_users: 0, total_memories: 0 }],
  ["listUserMemories", ["a1", "u1"], ["GET", "/agents/a1/memories/user/u1"], [memory, memory]],
  ["listUserMemories", ["a 1", "u?1", { status: "rejected", type: "fact" }],
    ["GET", "/agents/a%201/memories/user/u%3F1?status=rejected&type=fact"], []],
  ["listPendingMemories", [], ["GET", "/memory-approvals/pending"], { approvals: [memory], total: 1 }],
  ["listPendingMemories", [{ agentId: "a1", userId: "u1" }], ["GET", "/memory-approvals/pending?agent_id=a1&user_id=u1"], { approvals: [], total: 0 }],
  ["approveMemory", ["m1"], ["POST", "/memory-approvals/m1/action", { action: "approve" }], acted],
  ["rejectMemory", ["m1"], ["POST", "/memory-approvals/m1/action", { action: "reject" }], { ...acted, superseded: [] }],
  ["getMemoryStats", ["a1"], ["GET", "/agents/a1/memory-stats"], {
    total: 6, approved: 1, pending: 2, rejected: 3, users: 4,
    detection: { detector: "model", waiting: 2, failure: { since: 1.5, failures: 3, given_up: 1, code: "PROVIDER_FAILED", status: 401 } },
  }],
  ["getMemoryStats", ["a1", { userId: "u/1" }], ["GET", "/agents/a1/memory-stats?user_id=u%2F1"],
    { total: 1, approved: 1, pending: 0, rejected: 0, users: 1, room: { used_bytes: 100, room_bytes: 50, left_out: 1 } }],
  ["approveMemory", ["m1", { memoryContent: "User is \"vegan\"" }],
    ["POST", "/memory-approvals/m1/action", { action: "approve", memory_content: "User is \"vegan\"" }],
    { ...acted, memory: { ...memory, status: "approved", original_content: "User is vegetarian", edited_by: "rita", edited_at: 2.5, decided_by: "rita" } }],
  ["createMemory", ["a1", "u/1", { memoryContent: "User works nights", memoryType: "fact" }],
    ["POST", "/agents/a1/memories/user/u%2F1", { memory_content: "User works nights", memory_type: "fact" }], { ...memory, origin: "administrator" }],
  ["updateMemory", ["m1", { memoryContent: "User works nights", memoryType: "context" }],
    ["PUT", "/memories/m1", { memory_content: "User works nights", memory_type: "context" }], memory],
  ["decideMemories", [{ action: "approve", memoryIds: Object.freeze(["m1", "m/2"]) }],
    ["POST", "/memory-approvals/actions", { action: "approve", memory_ids: ["m1", "m/2"] }],
    { results: [{ memory_id: "m1", status: 200, superseded: ["m0"] }, { memory_id: "m/2", status: 409 }] }],
  ["answersOfMemory", ["m1"], ["GET", "/memories/m1/answers"], { answers: [{ chat_id: "c1", message_id: "q1" }], has_more: false }],
  ["answersOfMemory", ["m1", { cursor: "n2", limit: 5 }], ["GET", "/memories/m1/answers?cursor=n2&limit=5"],
    { answers: [], next_cursor: "n3", has_more: true }],
  ["listErasures", ["a1"], ["GET", "/agents/a1/erasures"],
    { erasures: [{ kind: "chat", at: 1.5, by: "rita", counts: { memories: 0, sources: 2 } }], has_more: false }],
  ["listErasures", ["a1", { cursor: "n=2", limit: 1000 }], ["GET", "/agents/a1/erasures?cursor=n%3D2&limit=1000"], { erasures: [], has_more: false }],
  ["memoriesOfSource", ["a1", { messageId: "q/1" }], ["GET", "/agents/a1/memories?source_message_id=q%2F1"],
    { memories_by_user: { u1: [memory] }, total_users: 1, total_memories: 1, has_more: false }],
  ["memoriesOfSource", ["a1", { chatId: "c1", messageId: undefined, cursor: "n2", limit: 5 }],
    ["GET", "/agents/a1/memories?source_chat_id=c1&cursor=n2&limit=5"], { memories_by_user: {}, total_users: 0, total_memories: 0, has_more: false }],
  ["deleteUserMemories", ["a1", "u1"], ["DELETE", "/agents/a1/memories/user/u1"], { success: true, message: "deleted", deleted: 2 }],
];

for (const [method, args, [verb, url, body], answer] of calls) {
  test(`${method}(${JSON.stringify(args).slice(1, -1)})`, async () => {
    const asked = answering(answer);
    assert.deepEqual(await sdk[method](...args), answer);
    assert.deepEqual(asked, [[verb, url, body]]);
  });
}

test("deleteMemory returns nothing", async () => {
  const asked = answering({ success: true, message: "deleted" });
  assert.equal(await sdk.deleteMemory("m1"), undefined);
  assert.deepEqual(asked, [["DELETE", "/memories/m1", undefined]]);
});

test("a user named __proto__ is like any other", async () => {
  globalThis.fetch = async () => Response.json(JSON.parse('{"memories_by_user":{"__proto__":[],"u1":[]},"total_users":2,"total_memories":0}'));
  assert.deepEqual(Object.keys((await sdk.listMemories("a1")).memories_by_user), ["__proto__", "u1"]);
});

test("an unknown option names the nearest known one, and nothing is sent", async () => {
  const asked = answering({});
  await assert.rejects(sdk.updateMemorySettings("a1", { memory_enabled: true }), { name: "TypeError", message: /memory_enabled is unknown; did you mean memoryEnabled\?/ });
  await assert.rejects(sdk.listMemories("a1", { userID: "u1" }), { message: /userID is unknown; did you mean userId\?/ });
  await assert.rejects(sdk.listUserMemories("a1", "u1", { stats: "pending" }), { message: /stats is unknown; did you mean status\?/ });
  await assert.rejects(sdk.listPendingMemories({ agent: "a1" }), { message: /agent is unknown; did you mean agentId\?/ });
  await assert.rejects(sdk.createMemory("a1", "u1", { memoryContent: "c", memory_type: "fact" }), {
    message: /memory_type is unknown; did you mean memoryType\?/,
  });
  await assert.rejects(sdk.decideMemories({ action: "approve", memoryIDs: ["m1"] }), { message: /memoryIDs is unknown; did you mean memoryIds\?/ });
  await assert.rejects(sdk.rejectMemory("m1", { memoryContent: "c" }), { message: /memoryContent is unknown/ });
  assert.deepEqual(asked, []);
});

test("an invalid id or value is named, and nothing is sent", async () => {
  const asked = answering({});
  await assert.rejects(sdk.approveMemory(), { name: "TypeError", message: "approveMemory: memoryId is empty" });
  await assert.rejects(sdk.rejectMemory(memory), { name: "TypeError", message: /memoryId is an object, want a string/ });
  await assert.rejects(sdk.updateMemorySettings("a1", { maxMemories: NaN }), { name: "TypeError", message: /maxMemories cannot be sent/ });
  await assert.rejects(sdk.updateMemorySettings("a1", { memoryTypes: ["fact", 5] }), { name: "TypeError", message: /memoryTypes must hold only strings/ });
  for (const [method, args, message] of [
    ["decideMemories", [{ action: "approve", memoryIds: Array.from({ length: 501 }, (_, i) => `m${i}`) }], "memoryIds has 501 entries, want 1 to 500"],
    ["decideMemories", [{ action: "approve", memoryIds: ["m1", ""] }], 'memoryIds holds "", which cannot be an id'],
    ["decideMemories", [{ action: "delete", memoryIds: ["m1"] }], 'action is "delete", want one of approve, reject'],
    ["decideMemories", ["approve", ["m1"]], "the options are a string, want an object"],
    ["createMemory", ["a1", "u1"], "memoryContent has 0 characters, want 1 to 300"],
    ["createMemory", ["a1", "u1", { memoryContent: "😀".repeat(301), memoryType: "fact" }], "memoryContent has 301 characters, want 1 to 300"],
    ["updateMemory", ["m1", { memoryContent: "c" }], 'memoryType is "", want one of preference, fact, context'],
    ["approveMemory", ["m1", { memoryContent: "" }], "memoryContent is empty"],
    ["memoriesOfSource", ["a1"], "messageId or chatId must be set, and not both"],
    ["memoriesOfSource", ["a1", { messageId: "q1", chatId: "c1" }], "messageId or chatId must be set, and not both"],
    ["getMemoryStats", ["a1", { userId: "" }], "userId is empty"],
  ]) {
    await assert.rejects(sdk[method](...args), { name: "TypeError", message: `${method}: ${message}` });
  }
  assert.deepEqual(asked, []);
});

for (const [status, code] of [[403, "PERMISSION_DENIED"], [404, "ENTITY_NOT_FOUND"], [409, "CONFLICT"]]) {
  test(`${code} is an APIError from every method`, async () => {
    answering({ status_code: status, error: { code, message: "Memory is already decided" } }, status);
    for (const [method, args] of [...calls, ["deleteMemory", ["m1"]]]) {
      await assert.rejects(sdk[method](...args), (error) => {
        assert.ok(error instanceof APIError);
        assert.deepEqual({ ...error, message: error.message }, {
          name: "APIError", message: "Memory is already decided", status, code, requestId: "r-1", retryable: false,
        });
        return true;
      });
    }
  });
}

test("an answer without its content is an error", async () => {
  answering({ success: true, message: "done" });
  await assert.rejects(sdk.approveMemory("m1"), { name: "APIError", message: "approveMemory: the answer cannot be read: it has no memory" });
  await assert.rejects(sdk.listUserMemories("a1", "u1"), { name: "APIError", message: "listUserMemories: the answer cannot be read: it has no memories" });
  answering([]);
  await assert.rejects(sdk.listMemories("a1"), { name: "APIError", message: "listMemories: the answer cannot be read: it is not a JSON object" });
});

test("the writes of a review are retried with the same key", async () => {
  for (const [method, args, answer] of [
    ["createMemory", ["a1", "u1", { memoryContent: "c", memoryType: "fact" }], memory],
    ["approveMemory", ["m1", { memoryContent: "c" }], acted],
    ["decideMemories", [{ action: "reject", memoryIds: ["m1"] }], { results: [] }],
  ]) {
    const service = new FakeService(({ n }) => (n === 0 ? refusal(503, "UNAVAILABLE") : Response.json(answer)));
    const own = [...args.slice(0, -1), { ...args.at(-1), idempotencyKey: "key-1" }];
    assert.deepEqual(await sdk[method](...own), answer);
    assert.deepEqual(service.keys, ["key-1", "key-1"], method);
    const minted = new FakeService(() => Response.json(answer));
    await sdk[method](...args);
    await sdk[method](...args);
    assert.equal(new Set(minted.keys).size, 2, method);
  }
});

test("an update is retried, and needs no key", async () => {
  const service = new FakeService(({ n }) => (n === 0 ? refusal(503, "UNAVAILABLE") : Response.json(memory)));
  assert.deepEqual(await sdk.updateMemory("m1", { memoryContent: "c", memoryType: "fact" }), memory);
  assert.deepEqual(service.asked, ["PUT /v1/memories/m1", "PUT /v1/memories/m1"]);
  await assert.rejects(sdk.updateMemory("m1", { memoryContent: "c", memoryType: "fact", idempotencyKey: "k" }), { message: /idempotencyKey is unknown/ });
});

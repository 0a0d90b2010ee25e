// The memory methods of the built package, against a service that answers as
// section 6 of the contract says.
import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com/v1", projectId: "p1", accessToken: "token-1" });
const memory = {
  id: "m1", agent_id: "a1", user_id: "u1", memory_content: "User prefers short answers", memory_type: "preference", confidence_score: 0.9,
  status: "pending", created_at: 1.5, updated_at: 1.5, expires_at: 604801.5, source_message_id: "q1",
  triggering_message: "I prefer short answers", span: { start: 0, end: 22 }, conflicts_with: ["m0"], later: { kept: [1] },
};
const settings = { memory_enabled: true, max_memories: 50, auto_approve: false, memory_types: ["preference", "fact", "context"] };
const acted = { success: true, message: "Memory approved", memory: { ...memory, status: "approved" }, superseded: ["m0"] };

/** Answers every request with that JSON, and keeps what was asked. */
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
  ["getMemoryStats", ["a1"], ["GET", "/agents/a1/memory-stats"], { total: 6, approved: 1, pending: 2, rejected: 3, users: 4 }],
  ["deleteUserMemories", ["a1", "u1"], ["DELETE", "/agents/a1/memories/user/u1"], { success: true, message: "deleted", deleted: 2 }],
];

for (const [method, args, [verb, url, body], answer] of calls) {
  test(`${method}(${JSON.stringify(args).slice(1, -1)})`, async () => {
    const asked = answering(answer);
    assert.deepEqual(await sdk[method](...args), answer);
    assert.deepEqual(asked, [[verb, url, body]]);
  });
}

test("deleteMemory gives nothing", async () => {
  const asked = answering({ success: true, message: "deleted" });
  assert.equal(await sdk.deleteMemory("m1"), undefined);
  assert.deepEqual(asked, [["DELETE", "/memories/m1", undefined]]);
});

test("a user named __proto__ is one among others", async () => {
  globalThis.fetch = async () => Response.json(JSON.parse('{"memories_by_user":{"__proto__":[],"u1":[]},"total_users":2,"total_memories":0}'));
  assert.deepEqual(Object.keys((await sdk.listMemories("a1")).memories_by_user), ["__proto__", "u1"]);
});

test("an unknown option names the nearest known one, and nothing is sent", async () => {
  const asked = answering({});
  await assert.rejects(sdk.updateMemorySettings("a1", { memory_enabled: true }), { name: "TypeError", message: /memory_enabled is unknown; did you mean memoryEnabled\?/ });
  await assert.rejects(sdk.listMemories("a1", { userID: "u1" }), { message: /userID is unknown; did you mean userId\?/ });
  await assert.rejects(sdk.listUserMemories("a1", "u1", { stats: "pending" }), { message: /stats is unknown; did you mean status\?/ });
  await assert.rejects(sdk.listPendingMemories({ agent: "a1" }), { message: /agent is unknown; did you mean agentId\?/ });
  assert.deepEqual(asked, []);
});

test("what is no id and no text is named, and nothing is sent", async () => {
  const asked = answering({});
  await assert.rejects(sdk.approveMemory(), { name: "TypeError", message: "approveMemory: memoryId is empty" });
  await assert.rejects(sdk.rejectMemory(memory), { name: "TypeError", message: /memoryId is an object, want a string/ });
  await assert.rejects(sdk.updateMemorySettings("a1", { maxMemories: NaN }), { name: "TypeError", message: /maxMemories cannot be sent/ });
  await assert.rejects(sdk.updateMemorySettings("a1", { memoryTypes: ["fact", 5] }), { name: "TypeError", message: /memoryTypes must hold strings alone/ });
  assert.deepEqual(asked, []);
});

for (const [status, code] of [[403, "PERMISSION_DENIED"], [404, "ENTITY_NOT_FOUND"], [409, "CONFLICT"]]) {
  test(`${code} is an APIError of every method`, async () => {
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

test("an answer that lacks what it is for is an error", async () => {
  answering({ success: true, message: "done" });
  await assert.rejects(sdk.approveMemory("m1"), { name: "APIError", message: "approveMemory: the answer cannot be read: it has no memory" });
  await assert.rejects(sdk.listUserMemories("a1", "u1"), { name: "APIError", message: "listUserMemories: the answer cannot be read: it is no JSON array" });
  answering([]);
  await assert.rejects(sdk.listMemories("a1"), { name: "APIError", message: "listMemories: the answer cannot be read: it is no JSON object" });
});

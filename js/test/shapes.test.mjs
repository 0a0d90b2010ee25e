// Every answer is checked where it is read: a value of another type, at any level, is an APIError that names the operation.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService } from "./fake-fetch.mjs";

const answers = JSON.parse(readFileSync(new URL("../../sdk/testdata/answers.json", import.meta.url), "utf8"));
const written = { memoryContent: "User has a cat", memoryType: "fact" };
const calls = {
  createChat: (sdk) => sdk.createChat(),
  listChats: (sdk) => sdk.listChats(),
  getChatHistory: (sdk) => sdk.getChatHistory("c1", { limit: 5 }),
  getMessage: (sdk) => sdk.getMessage("c1", "m1"),
  selectBranch: (sdk) => sdk.selectBranch("c1", "m1"),
  sendMessage: (sdk) => sdk.sendMessage("hi"),
  stop: (sdk) => sdk.stop({ streamId: "s1" }),
  listAgents: (sdk) => sdk.listAgents(),
  uploadDocument: (sdk) => sdk.uploadDocument(new Blob(["a"])),
  listDocuments: (sdk) => sdk.listDocuments(),
  getDocument: (sdk) => sdk.getDocument("d1"),
  getMemorySettings: (sdk) => sdk.getMemorySettings("a1"),
  updateMemorySettings: (sdk) => sdk.updateMemorySettings("a1", {}),
  listMemories: (sdk) => sdk.listMemories("a1"),
  listUserMemories: (sdk) => sdk.listUserMemories("a1", "u1"),
  listPendingMemories: (sdk) => sdk.listPendingMemories(),
  approveMemory: (sdk) => sdk.approveMemory("m1"),
  rejectMemory: (sdk) => sdk.rejectMemory("m1"),
  getMemoryStats: (sdk) => sdk.getMemoryStats("a1"),
  deleteUserMemories: (sdk) => sdk.deleteUserMemories("a1", "u1"),
  createMemory: (sdk) => sdk.createMemory("a1", "u1", written),
  updateMemory: (sdk) => sdk.updateMemory("m1", written),
  decideMemories: (sdk) => sdk.decideMemories({ action: "approve", memoryIds: ["m1"] }),
  answersOfMemory: (sdk) => sdk.answersOfMemory("m1"),
  listErasures: (sdk) => sdk.listErasures("a1"),
  memoriesOfSource: (sdk) => sdk.memoriesOfSource("a1", { chatId: "c1" }),
  listToolCalls: (sdk) => sdk.listToolCalls(),
  getToolCall: (sdk) => sdk.getToolCall("t1"),
  approveToolCall: (sdk) => sdk.approveToolCall("t1"),
  denyToolCall: (sdk) => sdk.denyToolCall("t1"),
};

/** Yields the place of each value in a tree of JSON. */
function* places(tree, path = "") {
  for (const key of Object.keys(tree)) {
    const name = Array.isArray(tree) ? `${path}[]` : `${path}.${key}`.replace(/^\./, "");
    yield [tree, key, name];
    if (typeof tree[key] === "object") {
      yield* places(tree[key], name);
    }
  }
}

const kind = (value) => Array.isArray(value) ? "array" : typeof value;
const isText = ["message", "messages[]"]; // a message may be a text

test("each operation that answers has its vector", () => assert.deepEqual(Object.keys(calls).sort(), Object.keys(answers).sort()));

for (const [name, call] of Object.entries(calls)) {
  for (const images of [true, false]) { // an answer with images goes through the program, others stay in the page
    const text = JSON.stringify(answers[name], (key, value) => images || key !== "image_urls" ? value : undefined);
    if (!images && text === JSON.stringify(answers[name])) {
      continue;
    }
    test(`${name}${images ? "" : " without images"}: a value of another type is an APIError that names the operation`, async () => {
      const answer = JSON.parse(text);
      new FakeService(() => Response.json(answer));
      const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t" });
      assert.notEqual(await call(sdk), undefined);
      for (const [tree, key, path] of places(answer)) {
        const old = tree[key];
        for (const value of [true, 1, "x", [], {}]) {
          if (kind(value) !== kind(old) && !(value === "x" && isText.includes(path))) {
            tree[key] = value;
            await assert.rejects(call(sdk), (error) => {
              assert.equal(error.name, "APIError", error.stack);
              assert.ok(error.message.startsWith(`${name}: the answer cannot be read: ${path.replaceAll("u1", "*")} is a`), error.message);
              return true;
            });
          }
        }
        tree[key] = old;
      }
      sdk.close();
    });
  }
}

const { error: _, end: __, ...events } = JSON.parse(readFileSync(new URL("../../sdk/testdata/events.json", import.meta.url), "utf8"));
for (const [name, data] of Object.entries(events)) {
  test(`the event ${name}: a value of another type is an APIError that names it`, async () => {
    const began = `id: 1\nevent: start\ndata: {"stream_id":"s1","chat_id":"c1","message_id":"m2"}\n\n`;
    const headers = { "content-type": "text/event-stream" };
    new FakeService(() => new Response(`${began}id: 2\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`, { headers }));
    const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", maxRetries: 0 });
    for (const [tree, key, path] of places(data)) {
      const old = tree[key];
      for (const value of [true, 1, "x", [], {}]) {
        if (kind(value) !== kind(old) && path + value !== "messagex") {
          tree[key] = value;
          await assert.rejects(sdk.sendMessageStream("hi"), (error) => {
            assert.equal(error.code, "STREAM_CUT", error.stack);
            assert.ok(error.message.startsWith(`sendMessageStream: the event ${name} cannot be read: ${path} is a`), error.message);
            return true;
          });
        }
      }
      tree[key] = old;
    }
    sdk.close();
  });
}

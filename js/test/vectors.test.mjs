// The vectors of sdk/testdata with the built package: the Go and wasm tests run them with the core,
// this test runs them as a page would.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";

const vectors = (name) => JSON.parse(readFileSync(new URL(`../../sdk/testdata/${name}.json`, import.meta.url), "utf8"));
const page = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const server = { baseUrl: "https://api.example.com", projectId: "p1", apiKey: "key-1", apiSecret: "s".repeat(32) };

/** Answers every request with one response, and counts them. */
function answering({ status = 200, headers = {}, body }) {
  const requests = [];
  globalThis.fetch = async (url, init) => {
    requests.push({ url, init });
    return new Response(body.length > 0 ? body : null, { status, headers });
  };
  return requests;
}

/** Bytes, because a Response with a text sets a content type. */
const bytesOf = (vector, text) => Buffer.from(vector.bytes ?? text, vector.bytes === undefined ? "utf8" : "base64");
const json = { "content-type": "application/json" };

for (const vector of vectors("errors")) {
  test(`errors: ${vector.name}`, async () => {
    answering({ status: vector.status, headers: vector.headers, body: bytesOf(vector, vector.body?.repeat(vector.times ?? 1)) });
    const error = await new ChatSDK(page).listChats().then(assert.fail, (reason) => reason);
    assert.ok(error instanceof APIError);
    const { message, status, detail, code, reason, requestId, invalidFields, retryAfter } = error;
    const { request_id, invalid_fields, retry_after, ...want } = vector.want;
    assert.deepEqual(
      JSON.parse(JSON.stringify({ message, status, detail, code, reason, requestId, invalidFields, retryAfter })),
      JSON.parse(JSON.stringify({ ...want, requestId: request_id, invalidFields: invalid_fields, retryAfter: retry_after })),
    );
  });
}

for (const vector of vectors("messages")) {
  const text = vector.bytes === undefined ? vector.message : Buffer.from(vector.bytes, "base64");
  const around = (before, after) => Buffer.concat([Buffer.from(before), Buffer.from(text), Buffer.from(after)]);
  test(`messages: ${vector.name}`, async () => {
    const sdk = new ChatSDK({ ...page, ...(vector.baseUrl && { baseUrl: vector.baseUrl }) });
    answering({ headers: json, body: around('{"chat_id":"c1","message_id":"m2","message":', "}") });
    const sent = await sdk.sendMessage("hi");
    check(sent.message, vector.want);
    answering({ headers: json, body: around('{"chat_id":"c1","messages":[', "]}") });
    const history = await sdk.getChatHistory("c1");
    check(history.messages[0], vector.want);
    let complete;
    if (!text.includes("\n") && !text.includes("\r")) {
      answering({ headers: { "content-type": "text/event-stream" }, body: around('event: complete\ndata: {"message":', "}\n\nevent: end\ndata: {}\n\n") });
      await sdk.sendMessageStream("hi", { onComplete: (message) => (complete = message) });
      check(complete, vector.want);
    }
  });
}

function check(message, want) {
  assert.deepEqual(wellFormed(structuredClone(message)), want);
  assert.equal(`${message}`.toWellFormed(), String(want.content));
  assert.deepEqual(Object.keys(message), Object.keys(JSON.parse(JSON.stringify(message))));
}

/** A page gets the text unchanged, including lone surrogates; the vectors have U+FFFD for them, as Go does. */
function wellFormed(value) {
  if (typeof value === "string") {
    return value.toWellFormed();
  }
  if (Array.isArray(value)) {
    return value.map(wellFormed);
  }
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name.toWellFormed(), wellFormed(item)]));
  }
  return value;
}

for (const vector of vectors("config")) {
  test(`config: ${vector.name}`, async () => {
    const requests = answering({ headers: json, body: '{"chats":[],"has_more":false}' });
    const call = async () => new ChatSDK(vector.config).listChats();
    if (vector.error === null) {
      await call();
      return;
    }
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof TypeError, String(error));
      assert.ok(error.message.startsWith(`ChatSDK: ${vector.error.field} `), error.message);
      return true;
    });
    assert.equal(requests.length, 0);
  });
}

/** Calls a method with arguments by name. */
function callByName(sdk, method, args) {
  const { message, chatId, messageId, newName, feedback, cursor, limit, ...options } = args;
  switch (method) {
    case "listChats":
      return sdk.listChats(cursor, limit);
    case "updateChatName":
      return sdk.updateChatName(chatId, newName);
    case "sendFeedback":
      return sdk.sendFeedback(messageId, chatId, feedback);
    case "sendMessage":
      return sdk.sendMessage(message, { ...options, ...(chatId !== undefined && { chatId }) });
    case "sendMessageStream": {
      const heard = () => assert.fail("a callback was called");
      return sdk.sendMessageStream(message, { ...options, ...(chatId !== undefined && { chatId }), onError: heard, onMessageEnd: heard });
    }
    case "createChat":
      return sdk.createChat(undefined, undefined, options);
    case "regenerateMessage":
      return sdk.regenerateMessage(chatId, messageId, options);
    case "uploadDocument":
      return sdk.uploadDocument(new Blob(["a"]), options);
    case "createAccessToken":
    case "stop":
      return sdk[method](options);
    case "listDocuments":
    case "listPendingMemories":
    case "decideMemories":
      return sdk[method](args);
    case "getChatHistory":
    case "getDocument":
    case "updateMemorySettings":
    case "listMemories":
    case "updateMemory":
    case "approveMemory":
    case "rejectMemory":
    case "answersOfMemory":
    case "listErasures":
    case "memoriesOfSource":
    case "getMemoryStats": { // one id, and options
      const [[, id], ...rest] = Object.entries(args);
      return sdk[method](id, Object.fromEntries(rest));
    }
    case "createMemory":
    case "listUserMemories":
    case "deleteUserMemories": {
      const { agentId, userId, ...narrow } = args;
      return sdk[method](agentId, userId, narrow);
    }
    default: // one id
      return sdk[method](Object.values(args)[0]);
  }
}

for (const vector of vectors("arguments")) {
  test(`arguments: ${vector.method}: ${vector.name}`, async () => {
    const requests = answering({ headers: json, body: "{}" });
    await assert.rejects(callByName(new ChatSDK(server), vector.method, vector.args), (error) => {
      assert.ok(error instanceof TypeError, String(error));
      assert.ok(error.message.startsWith(`${vector.method}: ${vector.error.field} `), error.message);
      return true;
    });
    assert.equal(requests.length, 0);
  });
}

for (const vector of vectors("event-streams")) {
  test(`event streams: ${vector.name}`, async () => {
    // The stream knows almost none of these events. From outside one only sees that the answer is
    // cut, once.
    answering({ headers: { "content-type": "text/event-stream" }, body: bytesOf(vector, vector.text) });
    const seen = [];
    const impatient = { ...page, resumeTimeout: 1 }; // by default it would try to resume for a minute
    await new ChatSDK(impatient).sendMessageStream("hi", {
      onChunk: () => seen.push("chunk"),
      onError: (error) => seen.push(error.code),
      onMessageEnd: () => seen.push("end"),
    });
    const chunks = vector.events.filter(({ type, data }) => type === "chunk" && data.startsWith("{")).map(() => "chunk");
    assert.deepEqual(seen, [...chunks, "STREAM_CUT", "end"]);
  });
}

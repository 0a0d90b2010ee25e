// stream(), resumeStream(), regenerateMessage(), stop() and the logger of the built package.
import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, receipt, refusal, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 2, retryDelay: 0 };
const sdk = new ChatSDK(config);
await ChatSDK.preload();
const send = "POST /v3/chat/message";
const stopById = "POST /v3/chat/stream/s1/stop";

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));
/** Waits until pending background work has ended. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));

/** A service with one answer, whose first connection sends this many events and then is silent, or closes. */
function answering(chunks, first, open = true, stop = () => receipt(chunks.join(""))) {
  return new FakeService(({ path, headers, signal, n }) => {
    if (path.endsWith("/stop")) {
      return stop();
    }
    const all = events(...chunks);
    return n === 0 ? streamed(all.slice(0, first), signal, open) : streamed(all.slice(Number(headers["last-event-id"] ?? 0)), signal);
  });
}

async function read(stream, until_ = () => false) {
  const list = [];
  for await (const event of stream) {
    list.push(event.type === "chunk" ? event.text : event.type);
    if (until_(event)) {
      break;
    }
  }
  return list;
}

test("the events of an answer are typed, and its result is the message", async () => {
  answering(["a", "b"], 5, false);
  const stream = sdk.stream("hi");
  const seen = [];
  for await (const event of stream) {
    seen.push(event);
  }
  const message = await stream.result;
  assert.equal(`${message}`, "ab");
  assert.deepEqual(seen, [
    { type: "start", stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" },
    { type: "chunk", text: "a" }, { type: "chunk", text: "b" }, { type: "complete", message }, { type: "end" },
  ]);
});

// RFC 9110, section 8.3.1.
test("a stream is read as it comes, whatever the case of its media type", { timeout: 10_000 }, async () => {
  new FakeService(({ path, signal }) => {
    if (path.endsWith("/stop")) {
      return receipt("a");
    }
    const response = streamed(events("a", "b").slice(0, 2), signal, true);
    response.headers.set("content-type", "Text/Event-Stream; charset=utf-8");
    return response;
  });
  assert.deepEqual(await read(sdk.stream("hi"), ({ type }) => type === "chunk"), ["start", "a"]);
});

test("the result needs no reader, and events wait for one", async () => {
  answering(["a", "b"], 5, false);
  const stream = sdk.stream("hi");
  assert.equal((await stream.result).content, "ab");
  assert.deepEqual(await read(stream), ["start", "a", "b", "complete", "end"]);
});

test("a cut stream is resumed", async () => {
  for (let first = 0; first <= 4; first++) {
    const service = answering(["a", "b"], first, false);
    assert.deepEqual(await read(sdk.stream("hi")), ["start", "a", "b", "complete", "end"]);
    assert.deepEqual(service.asked, [send, first === 0 ? send : `GET /v3/chat/stream/s1 ${first}`]);
  }
});

test("stop() in mid-answer returns the receipt, and the stream gets the rest of the text and the end", async () => {
  const service = answering(["a", "b", "c"], 2);
  const stream = sdk.stream("hi", { idempotencyKey: "key-1" });
  const list = [];
  let got;
  for await (const event of stream) {
    list.push(event.type === "chunk" ? event.text : event.type);
    if (event.type === "chunk" && !got) {
      got = stream.stop();
      assert.equal(stream.stop(), got, "a second call returns the same promise");
    }
  }
  assert.deepEqual(list, ["start", "a", "bc", "complete", "end"]);
  const { stopped, message } = await got;
  assert.deepEqual([stopped, `${message}`, message.finish_reason], [true, "abc", "stopped"]);
  assert.equal(await stream.result, message);
  assert.deepEqual(service.asked, [send, stopById]);
  assert.ok(service.signals[0].aborted, "the reading ends first");
});

test("stop() before the start uses the key, and retries while it is unknown", async () => {
  let unknown = 2;
  const service = answering(["a"], 0, true, () => (unknown-- > 0 ? refusal(404, "ENTITY_NOT_FOUND") : receipt("")));
  const stream = sdk.stream("hi", { idempotencyKey: "key-1" });
  await until(() => service.asked.length === 1);
  assert.equal((await stream.stop()).stopped, true);
  assert.deepEqual(await read(stream), ["complete", "end"]);
  assert.deepEqual(service.asked, [send, "POST /v3/chat/stop", "POST /v3/chat/stop", "POST /v3/chat/stop"]);
  assert.deepEqual(new Set(service.keys), new Set(["key-1"]));
});

test("stop() before the message is sent sends nothing", async () => {
  const service = answering(["a"], 0);
  const stream = sdk.stream("hi");
  await assert.rejects(stream.stop(), { name: "AbortError" });
  await assert.rejects(stream.result, { name: "AbortError" });
  await settle();
  assert.deepEqual(service.asked, []);
});

test("stop() after the end says that it was finished", async () => {
  const service = answering(["a"], 4, false, () => receipt("a", false));
  const stream = sdk.stream("hi");
  const iterator = stream[Symbol.asyncIterator]();
  const types = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) types.push(next.value.type);
  assert.deepEqual(types, ["start", "chunk", "complete", "end"]);
  assert.equal((await stream.stop()).stopped, false);
  assert.equal((await iterator.next()).done, true, "it adds no event");
  assert.deepEqual(service.asked, [send, stopById]);
});

test("a stop() that fails is the end of the stream", async () => {
  answering(["a"], 2, true, () => refusal(500, "INTERNAL"));
  const stream = sdk.stream("hi");
  const [first] = [await stream[Symbol.asyncIterator]().next()];
  assert.equal(first.value.type, "start");
  await assert.rejects(stream.stop(), { status: 500, code: "INTERNAL" });
  await assert.rejects(stream.result, { status: 500 });
});

test("stop() after a failure adds nothing", async () => {
  new FakeService(({ path }) => (path.endsWith("/stop") ? receipt("a") : refusal(400, "VALIDATION_ERROR")));
  const stream = sdk.stream("hi");
  await assert.rejects(stream.result, { code: "VALIDATION_ERROR" });
  assert.equal((await stream.stop()).stopped, true);
  await assert.rejects(read(stream), { code: "VALIDATION_ERROR" });
});

for (const [name, leave] of [
  ["break", async (stream) => { await read(stream, (event) => event.type === "chunk"); }],
  ["a throw", async (stream) => { await assert.rejects(read(stream, (event) => { if (event.type === "chunk") throw new Error("mine"); }), { message: "mine" }); }],
]) {
  for (const detachOnAbort of [false, true]) {
    test(`leaving by ${name}${detachOnAbort ? " with detachOnAbort" : ""}`, async () => {
      const service = answering(["a", "b"], 2);
      const stream = sdk.stream("hi", { detachOnAbort });
      await leave(stream);
      await assert.rejects(stream.result, { name: "AbortError" });
      await settle();
      assert.deepEqual(service.asked, detachOnAbort ? [send] : [send, stopById]);
      assert.ok(service.signals[0].aborted);
    });
  }
}

test("leaving a complete answer stops nothing", async () => {
  const service = answering(["a"], 3);
  const stream = sdk.stream("hi");
  await read(stream, (event) => event.type === "complete");
  assert.equal((await stream.result).content, "a");
  await settle();
  assert.deepEqual(service.asked, [send]);
});

test("aborting ends the events, unread ones too", async () => {
  const service = answering(["a", "b"], 3);
  const controller = new AbortController();
  const stream = sdk.stream("hi", { signal: controller.signal });
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort();
  await assert.rejects(iterator.next(), { name: "AbortError" });
  await assert.rejects(stream.result, { name: "AbortError" });
  await settle();
  assert.deepEqual(service.asked, [send, stopById]);
});

test("an answer is read once: a second loop says so, and next() after return() is done", async () => {
  answering(["a", "b"], 4);
  const stream = sdk.stream("hi");
  const iterator = stream[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return();
  assert.deepEqual(await iterator.next(), { done: true, value: undefined });
  const read = { name: "InvalidStateError", message: /was read already/ };
  await assert.rejects(async () => { for await (const event of stream) assert.fail(event.type); }, read);
  assert.throws(() => stream[Symbol.asyncIterator](), read);
});

test("a failure is the error of the stream and of its result, with the text so far", async () => {
  const service = new FakeService(({ signal, n }) => (n === 0 ? streamed(events("a", "b").slice(0, 3), signal) : refusal(503, "UNAVAILABLE")));
  const stream = new ChatSDK({ ...config, resumeTimeout: 1 }).stream("hi");
  const list = [];
  await assert.rejects(async () => { for await (const event of stream) list.push(event.type); }, (error) => {
    assert.ok(error instanceof APIError);
    assert.deepEqual([error.status, error.code, error.partial, error.retryable, error.requestId], [503, "UNAVAILABLE", "ab", true, "r-1"]);
    return true;
  });
  assert.deepEqual(list, ["start", "chunk", "chunk"]);
  await assert.rejects(stream.result, { partial: "ab" });
  assert.ok(service.asked.length > 1);
});

for (const [name, options, message] of [
  ["a blank message", {}, /message is blank/, ""],
  ["an invalid signal", { signal: 5 }, /signal is a number/],
  ["a callback", { onChunk() {} }, /onChunk is unknown/],
  ["an unknown option", { chatid: "c1" }, /did you mean chatId/],
  ["invalid images", { images: ["a"] }, /images/],
  ["an invalid key", { idempotencyKey: "a b" }, /idempotencyKey/],
]) {
  test(`${name} rejects the stream, and nothing is sent`, async () => {
    const service = new FakeService(silence);
    const stream = sdk.stream(name === "a blank message" ? " " : "hi", options);
    await assert.rejects(stream.result, { name: "TypeError", message });
    await assert.rejects(read(stream), { name: "TypeError", message });
    assert.deepEqual(service.asked, []);
  });
}

function callbacks() {
  const names = [];
  const note = (name, of = () => "") => (value) => names.push(`${name} ${of(value)}`.trim());
  return { names, onChunk: note("chunk", String), onComplete: note("complete", String), onError: note("error", (error) => error.code), onMessageEnd: note("end") };
}

const running = { messages: [{ id: "m1", content: "hi" }, { id: "m2", content: "a", stream_id: "s1" }] };

test("resumeStream follows the answer that is being written", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/all") ? Response.json(running) : streamed(events("a", "b"), signal)));
  const { names, ...given } = callbacks();
  assert.equal(await sdk.resumeStream("c1", given), true);
  assert.deepEqual(names, ["chunk a", "chunk b", "complete ab", "end"]);
  assert.deepEqual(service.asked, ["GET /project/p1/chat/c1/all", "GET /v3/chat/stream/s1"]);
});

test("resumeStream finds no answer, and calls nothing", async () => {
  new FakeService(() => Response.json({ messages: [{ id: "m1", content: "hi" }] }));
  const { names, ...given } = callbacks();
  assert.equal(await sdk.resumeStream("c1", given), false);
  assert.deepEqual(names, []);
});

test("resumeStream of an unknown chat is an error", async () => {
  new FakeService(() => refusal(404, "ENTITY_NOT_FOUND"));
  const { names, ...given } = callbacks();
  await sdk.resumeStream("c1", given);
  assert.deepEqual(names, ["error ENTITY_NOT_FOUND", "end"]);
  await assert.rejects(sdk.resumeStream("c1"), { status: 404 });
});

test("regenerateMessage streams the new answer", async () => {
  const service = answering(["a", "b"], 2, false);
  const { names, ...given } = callbacks();
  assert.equal(await sdk.regenerateMessage("c1", "m2", { ...given, idempotencyKey: "key-1" }), undefined);
  assert.deepEqual(names, ["chunk a", "chunk b", "complete ab", "end"]);
  assert.deepEqual(service.asked, ["POST /v3/chat/message/regenerate", "GET /v3/chat/stream/s1 2"]);
  assert.equal(service.keys[0], "key-1");
});

test("stop() stops by id or by key", async () => {
  const service = new FakeService(() => receipt("a"));
  assert.equal(`${(await sdk.stop({ streamId: "s1" })).message}`, "a");
  await sdk.stop({ idempotencyKey: "key-1" });
  assert.deepEqual(service.asked, [stopById, "POST /v3/chat/stop"]);
  assert.equal(service.keys[1], "key-1");
});

test("errors say whether to try again", async () => {
  for (const [status, code, retryable] of [[503, "UNAVAILABLE", true], [429, "RATE_LIMITED", true], [502, undefined, true], [502, "PROVIDER_FAILED", false], [404, "ENTITY_NOT_FOUND", false]]) {
    new FakeService(() => refusal(status, code, { "retry-after": "61" }));
    await assert.rejects(sdk.listChats(), { status, retryable, requestId: "r-1", retryAfter: 61 });
  }
});

test("the logger gets each request, and an error that it throws ends nothing", async () => {
  const entries = [];
  const logging = new ChatSDK({ ...config, logger: (entry) => { entries.push(entry); throw new Error("mine"); } });
  new FakeService(({ n }) => (n === 0 ? refusal(503, "UNAVAILABLE") : Response.json({ chats: [] }, { headers: { "x-request-id": "r-2" } })));
  const report = console.error;
  console.error = () => {};
  await logging.listChats(undefined, 5).finally(() => { console.error = report; });
  assert.deepEqual(entries.map(({ milliseconds, ...entry }) => (assert.ok(milliseconds >= 0), entry)), [
    { operation: "listChats", method: "GET", path: "/project/p1/chat", status: 503, code: "UNAVAILABLE", requestId: "r-1" },
    { operation: "listChats", method: "GET", path: "/project/p1/chat", status: 200, requestId: "r-2" },
  ]);
});

test("the token function is called once for many calls, and again when the token has expired", async () => {
  let asked = 0;
  const own = new ChatSDK({ ...config, accessToken: async () => `t${++asked}` });
  new FakeService(({ headers }) => (headers.authorization === "Bearer t1" ? refusal(401, "TOKEN_EXPIRED") : Response.json({ chats: [] })));
  await Promise.all(Array.from({ length: 10 }, () => own.listChats()));
  assert.equal(asked, 2);
});

test("no rejection was left unhandled", async () => {
  await settle();
  assert.deepEqual(unhandled, []);
});

test("stopping a message that has not arrived is an AbortError", async () => {
  const service = new FakeService(({ path }) => (path.endsWith("/stop") ? refusal(404, "ENTITY_NOT_FOUND") : silence()));
  const stream = sdk.stream("a long upload");
  await until(() => service.asked.length === 1);
  const withdrawn = { name: "AbortError", message: "the message was given up before it arrived" };
  await assert.rejects(stream.stop(), withdrawn);
  await assert.rejects(stream.result, withdrawn);
});

test("resumeStream of a missing chat calls onError, and reports that no answer was being written", async () => {
  for (const [status, found] of [[404, false], [503, true]]) {
    new FakeService(() => refusal(status, "X"));
    const heard = [];
    const was = await sdk.resumeStream("c1", { onError: (error) => heard.push(error.status), onMessageEnd: () => heard.push("end") });
    assert.deepEqual([was, heard], [found, [status, "end"]], "after another failure there may be an answer, which must not be regenerated");
    await assert.rejects(sdk.resumeStream("c1"), { status });
  }
});

for (const [name, call, key] of [
  ["listChats", () => sdk.listChats(undefined, 10, { limit: 3 }), "limit"],
  ["listChats", () => sdk.listChats(undefined, 10, { cursor: 5 }), "cursor"],
  ["deleteChat", () => sdk.deleteChat("c1", { chatId: "c2" }), "chatId"],
  ["sendMessage", () => sdk.sendMessage("hi", { message: "ho" }), "message"],
  ["stream", () => sdk.stream("hi", { message: "ho" }).result, "message"],
  ["regenerateMessage", () => sdk.regenerateMessage("c1", "m1", { messageId: "m2" }), "messageId"],
  ["getMemorySettings", () => sdk.getMemorySettings("a1", { agentId: "a2" }), "agentId"],
]) {
  test(`${name} refuses ${key} among its options, where it would silently win or lose`, async () => {
    const service = new FakeService(silence);
    await assert.rejects(call(), { name: "TypeError", message: `${name}: ${key} is not an option; pass it before the options` });
    assert.deepEqual(service.asked, []);
  });
}

test("listChats takes no images", async () => {
  const service = new FakeService(silence);
  await assert.rejects(sdk.listChats(undefined, 10, { images: [] }), { name: "TypeError", message: /images is unknown/ });
  assert.deepEqual(service.asked, []);
});

test("finished requests leave no controller behind, and abort none", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/stop") ? receipt("a") : streamed(events("a", "b"), signal)));
  await sdk.stream("hi").result;
  await settle();
  assert.deepEqual(service.signals.map(({ aborted }) => aborted), [false]);
  new FakeService(() => Response.json({ chats: [], has_more: false }));
  await sdk.listChats();
});

// The core uses the wall clock of this realm.
test("a dead connection is noticed though the clock is changed", async () => {
  const Wall = Date;
  let shift = 0;
  globalThis.Date = class extends Wall {
    constructor(...args) { args.length > 0 ? super(...args) : super(Wall.now() + shift); }
    static now() { return Wall.now() + shift; }
  };
  try {
    const { ChatSDK: shifted } = await import("../../dist/chatsdk.mjs?shifted");
    for (const by of [-3_600_000, 3_600_000]) {
      answering(["a", "b"], 2);
      const { result } = new shifted({ ...config, wasmURL: new URL("../../dist/chatsdk.wasm?shifted", import.meta.url), stallTimeout: 200 }).stream("hi");
      await settle();
      shift += by;
      assert.equal((await result).content, "ab");
    }
  } finally {
    globalThis.Date = Wall;
  }
});

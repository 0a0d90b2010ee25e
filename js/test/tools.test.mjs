// Tools of the page, calls and decisions, in the built package.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { Desk } from "./desk.mjs";
import { until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0, retryDelay: 0, resumeTimeout: 0 };
const look = { description: "Looks.", parameters: { type: "object" } };
const withLook = (run, fields) => new ChatSDK({ ...config, tools: { look: { ...look, run, ...fields } } });
await ChatSDK.preload();

const claim = "POST /tool-calls/t1/claim";
const result = "POST /tool-calls/t1/result";
const stop = "POST /v3/chat/stream/s1/stop";

/** Reads a stream: its events, with a call as its status. */
async function read(stream) {
  const list = [];
  for await (const event of stream) {
    list.push(event.call?.status ?? event.text ?? event.type);
  }
  return list;
}

/** The error of a result that JSON would lose. */
const lost = (kind, path = "") => `tools.look.run: its result${path} cannot be sent: JSON has no ${kind}`;

for (const [name, run, body] of [
  ["a text", () => "as it is", { result: "as it is" }],
  ["a promise of a text", async () => "later", { result: "later" }],
  ["an object", () => ({ a: ["ü", 1] }), { result: '{"a":["ü",1]}' }],
  ["a number", () => 5, { result: "5" }],
  ["nothing", () => {}, { result: "null" }],
  ["an error", () => { throw new RangeError("too far"); }, { error: "too far" }],
  ["a rejection with a text", () => Promise.reject("no"), { error: "no" }],
  ["an error without a text", () => { throw new RangeError(); }, { error: "RangeError" }],
  ["a value that JSON cannot hold", () => 1n, { error: lost("bigint") }],
  ["a Response", () => new Response("{}"), { error: lost("Response") }],
  ["a File", () => new File(["x"], "x.txt"), { error: lost("File") }],
  ["a Map", () => new Map([["a", 1]]), { error: lost("Map") }],
  ["a Set in an array", () => [new Set([1])], { error: lost("Set", "[0]") }],
  ["an Error", () => new Error("returned"), { error: lost("Error") }],
  ["an error of the SDK, which has fields", () => new ChatSDK.APIError("m", { status: 1 }), { error: lost("Error") }],
  ["a stream", () => ({ body: new ReadableStream() }), { error: lost("ReadableStream", ".body") }],
  ["a forgotten await", () => ({ body: Promise.resolve(1) }), { error: lost("Promise", ".body") }],
  ["bytes", () => new Uint8Array(2), { error: lost("Uint8Array") }],
  ["a function", () => () => 1, { error: lost("function") }],
  ["a symbol", () => Symbol("s"), { error: lost("symbol") }],
  ["NaN", () => NaN, { error: lost("NaN") }],
  ["an infinite number", () => ({ n: [-Infinity] }), { error: lost("-Infinity", ".n[0]") }],
  ["a date that is none", () => ({ at: new Date(NaN) }), { error: lost("Invalid Date", ".at") }],
  ["an object that hides all", () => new class Hidden { #a = 1; get a() { return this.#a; } }(), { error: lost("Hidden without fields") }],
  ["a revoked proxy", () => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return [proxy]; }, { error: /cannot be sent/ }],
  ["a date", () => ({ at: new Date(0) }), { result: '{"at":"1970-01-01T00:00:00.000Z"}' }],
  ["an object of a class", () => new class { a = 1; }(), { result: '{"a":1}' }],
  ["an object without a class", () => Object.create(null), { result: "{}" }],
  ["an object with toJSON", () => new class { toJSON() { return { b: [true] }; } }(), { result: '{"b":[true]}' }],
  ["nothing at a name", () => ({ a: undefined, b: null }), { result: '{"b":null}' }],
  ["a text with a lone surrogate", () => "a\ud800b", { result: "a\ufffdb" }],
  ["a text that is too long", () => "é".repeat(200_000), { result: "é".repeat(131_072), truncated: true }],
]) {
  // The claim must not wait for the next timer of the core, half a minute later.
  test(`a call is carried out, and its result is ${name}`, { timeout: 15_000 }, async (t) => {
    const error = t.mock.method(console, "error", () => {});
    const warn = t.mock.method(console, "warn", () => {});
    const desk = new Desk();
    const given = [];
    const sdk = withLook((args, context) => {
      given.push([args, context.callId, context.signal.aborted]);
      return run();
    });
    desk.call("t1", "awaiting");
    const stream = sdk.stream("hi");
    const reading = read(stream);
    desk.call("t1", "approved", { arguments: '{"at":"edited"}' });
    await until(() => ["done", "failed"].includes(desk.calls.get("t1").status));
    desk.finish("end");
    assert.deepEqual(await reading, ["start", "awaiting", "approved", "running", body.error ? "failed" : "done", "end", "complete", "end"]);
    assert.deepEqual(given, [[{ at: "edited" }, "t1", false]]);
    const { claim: _, ...posted } = desk.body("/result");
    const isLost = /cannot be sent/.test(body.error?.source ?? body.error);
    assert.equal(error.mock.callCount(), Number(isLost), "what the developer is told");
    const noted = name === "nothing" ? ["ChatSDK: tools.look.run returned nothing, so the model gets null"] : [];
    assert.deepEqual(warn.mock.calls.map(({ arguments: [text] }) => text), noted);
    if (body.error instanceof RegExp) {
      assert.match(posted.error, body.error);
    } else {
      assert.deepEqual(posted, body);
    }
  });
}

test("that a tool returned nothing is noted once", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const desk = new Desk();
  const sdk = withLook(() => {});
  for (const id of ["t1", "t2"]) {
    desk.call(id, "approved");
  }
  const reading = read(sdk.stream("hi"));
  await until(() => ["t1", "t2"].every((id) => desk.calls.get(id).status === "done"));
  desk.finish("");
  await reading;
  assert.equal(warn.mock.callCount(), 1);
});

test("a tool may call the SDK", async () => {
  const desk = new Desk();
  const sdk = withLook(async () => (await sdk.listToolCalls({ status: "running" })).tool_calls.length);
  desk.call("t1", "approved");
  const reading = read(sdk.stream("hi"));
  await until(() => desk.asked.includes(result));
  desk.finish("");
  await reading;
  assert.equal(desk.body("/result").result, "1");
  assert.ok(desk.asked.includes("GET /tool-calls?status=running"));
});

test("the tools are offered with a message and a regeneration, and the claim repeats the tool's definition", async () => {
  const definition = { ...look, approval: "never", idempotent: true, timeout: 2.5 };
  const sdk = withLook(() => "", { approval: "never", idempotent: true, timeout: 2500 });
  for (const answer of [(options) => sdk.sendMessageStream("hi", options), (options) => sdk.regenerateMessage("c1", "m1", options)]) {
    const desk = new Desk();
    desk.call("t1", "approved");
    const calls = [];
    const answered = answer({ onToolCall: ({ status }) => calls.push(status) });
    await until(() => desk.asked.includes(result));
    desk.finish("");
    await answered;
    assert.deepEqual(calls, ["approved", "running", "done"]);
    const [, body] = desk.told[0];
    const offered = body instanceof FormData ? [JSON.parse(body.get("page_tools")), body.get("tool_calls")] : [body.page_tools, String(body.tool_calls)];
    assert.deepEqual(offered, [{ look: definition }, "true"]);
    const { claim, ...claimed } = desk.body("/claim");
    assert.match(claim, /^[0-9A-F]{32}$/);
    assert.deepEqual(claimed, { definition });
  }
});

test("a client without tools offers none, and accepts calls all the same", async () => {
  const desk = new Desk();
  desk.finish("");
  await read(new ChatSDK(config).stream("hi"));
  const [, form] = desk.told[0];
  assert.deepEqual([form.get("page_tools"), form.get("tool_calls")], [null, "true"]);
});

test("a claim that is lost aborts the signal, and nothing is reported", async () => {
  let claims = 0;
  const desk = new Desk(({ path }) => (path.endsWith("/claim") && ++claims > 1 ? Response.json({}, { status: 409 }) : undefined));
  desk.call("t1", "approved");
  const aborted = deferred();
  const sdk = withLook((_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => {
    aborted.resolve();
    resolve("late");
  })), { timeout: 1000 });
  const leaving = new AbortController();
  const reading = sdk.stream("hi", { signal: leaving.signal });
  await aborted.promise;
  leaving.abort();
  await assert.rejects(reading.result, { name: "AbortError" });
  assert.ok(!desk.asked.includes(result));
});

function deferred() {
  const made = {};
  made.promise = new Promise((resolve, reject) => Object.assign(made, { resolve, reject }));
  return made;
}

test("closing the client aborts the signal, and nothing is reported", async () => {
  const desk = new Desk();
  desk.call("t1", "approved");
  const running = deferred();
  const aborted = deferred();
  const sdk = withLook((_, { signal }) => {
    running.resolve();
    return new Promise((resolve) => signal.addEventListener("abort", () => {
      aborted.resolve();
      resolve("late");
    }));
  });
  const { result: answer } = sdk.stream("hi");
  await running.promise;
  sdk.close();
  await assert.rejects(answer, { name: "AbortError" });
  await aborted.promise;
  await new Promise(setImmediate);
  assert.ok(!desk.asked.includes(result) && !desk.asked.includes(stop));
});

test("leaving an answer does not end a tool that is running", async () => {
  const desk = new Desk();
  desk.call("t1", "approved");
  const running = deferred();
  const finish = deferred();
  const sdk = withLook(async (_, { signal }) => {
    running.resolve();
    await finish.promise;
    return String(signal.aborted);
  });
  const leaving = new AbortController();
  const { result: answer } = sdk.stream("hi", { signal: leaving.signal });
  await running.promise;
  leaving.abort();
  await assert.rejects(answer, { name: "AbortError" });
  finish.resolve();
  await until(() => desk.asked.includes(result));
  assert.equal(desk.body("/result").result, "false");
});

for (const [name, leave] of [
  ["leaving the loop", async (sdk, at) => {
    for await (const { call } of sdk.stream("hi")) {
      if (call?.status === at) {
        break;
      }
    }
  }],
  ["aborting", async (sdk, at) => {
    const leaving = new AbortController();
    const onToolCall = ({ status }) => status === at && leaving.abort();
    await assert.rejects(sdk.sendMessageStream("hi", { signal: leaving.signal, onToolCall }), { name: "AbortError" });
  }],
]) {
  test(`${name} does not stop a parked answer`, async () => {
    const desk = new Desk();
    desk.call("t1", "awaiting");
    await leave(new ChatSDK(config), "awaiting");
    await new Promise((resolve) => setTimeout(resolve, 20)); // by now a stop would have been sent
    assert.deepEqual(desk.asked, ["POST /v3/chat/message"]);
  });

  test(`${name} stops an answer that is no longer parked`, async () => {
    const desk = new Desk();
    desk.call("t1", "awaiting");
    desk.call("t1", "denied");
    await leave(new ChatSDK(config), "denied");
    await until(() => desk.asked.includes(stop));
  });
}

test("stop() stops a parked answer", async () => {
  const desk = new Desk();
  desk.call("t1", "awaiting");
  const stream = new ChatSDK(config).stream("hi");
  for await (const { type } of stream) {
    if (type === "tool_call") {
      await stream.stop();
    }
  }
  assert.equal((await stream.result).finish_reason, "stopped");
  assert.ok(desk.asked.includes(stop));
});

test("a decision is followed at once, in the stream that is read", { timeout: 15_000 }, async () => {
  const open = [];
  const desk = new Desk(({ path }) => void open.push([path, desk.service.signals[0].aborted]));
  const sdk = new ChatSDK(config);
  desk.call("t1", "awaiting", { kind: "http" });
  const stream = sdk.stream("hi");
  const reading = read(stream);
  await until(() => desk.asked.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 20)); // by now the call is known
  const { call } = await sdk.approveToolCall("t1", { arguments: { at: "ö" }, reason: "yes" });
  assert.equal(call.status, "approved");
  assert.deepEqual(desk.body("/decision"), { action: "approve", arguments: '{"at":"ö"}', reason: "yes" });
  desk.call("t1", "done");
  desk.finish("end");
  assert.deepEqual(await reading, ["start", "awaiting", "approved", "done", "end", "complete", "end"]);
  assert.deepEqual(open[1], ["/tool-calls/t1/decision", true], "the reading's connection is free by then");
  assert.deepEqual(desk.asked.slice(0, 3), ["POST /v3/chat/message", "POST /tool-calls/t1/decision", "GET /tool-calls?chat_id=c1&message_id=m2"]);
});

test("calls are listed, read and denied", async () => {
  const desk = new Desk();
  const sdk = new ChatSDK(config);
  const call = desk.call("t1", "awaiting");
  assert.deepEqual(await sdk.listToolCalls({ status: "awaiting", chatId: "c1", messageId: "m2", cursor: "x", limit: 5 }), { tool_calls: [call], has_more: false });
  assert.deepEqual(await sdk.getToolCall("t1"), call);
  assert.equal((await sdk.denyToolCall("t1", "no", { idempotencyKey: "k1" })).call.status, "denied");
  assert.deepEqual(desk.body("/decision"), { action: "deny", reason: "no" });
  assert.equal(desk.service.keys.at(-1), "k1");
  await assert.rejects(sdk.approveToolCall("t1"), { name: "APIError", code: "CONFLICT", status: 409 });
  assert.deepEqual(desk.asked.slice(0, 2), ["GET /tool-calls?status=awaiting&chat_id=c1&message_id=m2&cursor=x&limit=5", "GET /tool-calls/t1"]);
});

test("an invalid decision is refused, and nothing is sent", async () => {
  const desk = new Desk();
  const sdk = new ChatSDK(config);
  await assert.rejects(sdk.approveToolCall("t1", { arguments: [1] }), { name: "TypeError", message: /^approveToolCall: arguments is an array, want a string/ });
  await assert.rejects(sdk.approveToolCall("t1", { arguments: "{" }), { name: "TypeError", message: "approveToolCall: arguments is not a JSON object" });
  await assert.rejects(sdk.approveToolCall("t1", { arguments: { n: NaN } }), { name: "TypeError", message: /^approveToolCall: arguments.n cannot be sent/ });
  await assert.rejects(sdk.denyToolCall(""), { name: "TypeError", message: "denyToolCall: callId is empty" });
  await assert.rejects(sdk.listToolCalls({ status: "open" }), { name: "TypeError", message: /^listToolCalls: status is "open", want one of awaiting/ });
  assert.deepEqual(desk.asked, []);
});

test("sendMessage returns an answer that waits, and resumeStream follows the rest", async () => {
  const message = { id: "m2", chat_id: "c1", content: "", tool_calls: [{ id: "t1", status: "approved" }] };
  const desk = new Desk(({ path }) =>
    path === "/v3/chat/message" ? Response.json({ message, chat_id: "c1", message_id: "m2", stream_id: "s1" }, { status: 202 }) : undefined);
  desk.call("t1", "approved");
  const sdk = withLook(() => "seen");
  const answer = await sdk.sendMessage("hi");
  assert.deepEqual([answer.stream_id, answer.message.finish_reason, answer.message.tool_calls[0].status], ["s1", undefined, "approved"]);
  const heard = [];
  const rest = sdk.resumeStream("c1", { onToolCall: ({ status }) => heard.push(status), onChunk: (text) => heard.push(text) });
  await until(() => desk.asked.includes(result)); // at once, because this page sent the message
  desk.finish("whole");
  assert.equal(await rest, true);
  assert.deepEqual(heard, ["approved", "running", "done", "whole"]);
  assert.equal(desk.asked.filter((request) => request === claim).length, 1);
});

test("a schema that JSON cannot hold is refused", () => {
  const parameters = { type: "object", properties: { at: { type: "string", check: () => true } } };
  assert.throws(() => new ChatSDK({ ...config, tools: { look: { ...look, parameters, run() {} } } }), {
    name: "TypeError", message: "ChatSDK: tools.look.parameters.properties.at.check cannot be sent: JSON has no function",
  });
});

for (const vector of JSON.parse(readFileSync(new URL("../../sdk/testdata/tools.json", import.meta.url), "utf8"))) {
  test(`tools: ${vector.name}`, () => {
    const { tools } = vector;
    for (const tool of typeof tools === "object" ? Object.values(tools) : []) {
      if (tool?.run) {
        tool.run = () => "";
      }
    }
    const make = () => new ChatSDK({ ...config, tools });
    if (vector.error === null) {
      make();
      return;
    }
    assert.throws(make, (error) => error instanceof TypeError && error.message.startsWith(`ChatSDK: ${vector.error.field} `));
  });
}

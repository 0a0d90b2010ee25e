// Where a rejection says it comes from, and how it is printed.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", maxRetries: 0, resumeTimeout: 0 });

/** Requires that the error's stack begins at a line of this file, below its own message, without frames of Go. */
function requireHere(error) {
  const header = `${error.name}: ${error.message}\n`;
  assert.ok(error.stack.startsWith(header), error.stack);
  const frames = error.stack.slice(header.length);
  assert.match(frames, /^ {4}at .*places\.test\.mjs:\d+:\d+/, error.stack);
  assert.doesNotMatch(frames, /wasm|chatsdk\.mjs/);
}

const failed = async (promise) => promise.then(() => assert.fail("it succeeded"), (error) => error);
const drained = async (stream) => { for await (const _ of stream); };

for (const [name, call] of Object.entries({
  "an error of the service": () => sdk.listChats(),
  "an error of a call without a JSON answer": () => sdk.deleteChat("c1"),
  "an argument that the core refuses": () => sdk.listChats(-1),
  "an argument that TypeScript refuses": () => sdk.listChats(undefined, undefined, { signal: 5 }),
  "invalid options": () => sdk.sendMessage("hi", () => {}),
  "an invalid callback": () => sdk.sendMessageStream("hi", { onChunk: 5 }),
  "a stream with callbacks": () => sdk.sendMessageStream("hi"),
  "resumeStream": () => sdk.resumeStream("c1"),
  "stream(), its result": () => sdk.stream("hi").result,
  "stream(), its events": () => drained(sdk.stream("hi")),
  "stream(), its options": () => sdk.stream("hi", { onChunk() {} }).result,
  "stream(), stop()": () => { const stream = sdk.stream("hi"); return new Promise((resolve) => setTimeout(resolve, 10)).then(() => stream.stop()); },
  "an abort": () => sdk.listChats(undefined, undefined, { signal: AbortSignal.timeout(0) }),
  "preload": () => ChatSDK.preload({ wasmUrl: "x" }),
  "createAccessToken": () => sdk.createAccessToken({ userId: "a" }),
  "uploadDocument": () => sdk.uploadDocument("no file"),
  "a missing module": () => new ChatSDK({ baseUrl: "https://a.example", projectId: "p", accessToken: "t", wasmURL: "file:///nowhere.wasm" }).listChats(),
})) {
  test(`begins at the line of the caller: ${name}`, async () => {
    new FakeService(() => refusal(503, "UNAVAILABLE"));
    requireHere(await failed(call()));
  });
}

test("onError gets an error that begins at the line of the caller", async () => {
  new FakeService(({ n, signal }) => (n === 0 ? streamed(events("a").slice(0, 2), signal) : refusal(404, "ENTITY_NOT_FOUND")));
  let error;
  await sdk.sendMessageStream("hi", { onError: (failure) => { error = failure; } });
  requireHere(error);
  assert.equal(error.partial, "a");
});

test("when calls fail together, each error begins at its own line", async () => {
  const lost = new ChatSDK({ baseUrl: "https://a.example", projectId: "p", accessToken: "t", wasmURL: "file:///nowhere.wasm?2" });
  const errors = await Promise.all([
    failed(lost.listChats()),
    failed(lost.listAgents()),
  ]);
  errors.forEach(requireHere);
  assert.notEqual(errors[0].stack, errors[1].stack);
});

test("the reason of a signal stays as it is", async () => {
  new FakeService(() => new Promise(() => {}));
  const controller = new AbortController();
  const call = failed(sdk.listChats(undefined, undefined, { signal: controller.signal }));
  controller.abort();
  const { reason } = controller.signal;
  const { stack } = reason;
  assert.equal(await call, reason);
  assert.equal(reason.stack, stack);
});

test("a reason that is not an AbortError becomes the cause", async () => {
  new FakeService(() => new Promise(() => {}));
  const error = await failed(sdk.listChats(undefined, undefined, { signal: AbortSignal.timeout(1) }));
  assert.equal(error.name, "AbortError");
  assert.equal(error.cause.name, "TimeoutError");
});

test("an error without a cause has no such property", async () => {
  new FakeService(() => refusal(404, "ENTITY_NOT_FOUND"));
  const error = await failed(sdk.listChats());
  assert.ok(error instanceof APIError);
  assert.ok(!("cause" in error));
});

test("an error that nobody catches prints no line of the minified script", () => {
  const program = `
    import { ChatSDK } from ${JSON.stringify(new URL("../../dist/chatsdk.mjs", import.meta.url).href)};
    globalThis.fetch = async () => Response.json({ error: { code: "ENTITY_NOT_FOUND", message: "none" } }, { status: 404 });
    const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t" });
    await sdk.listChats();`;
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  assert.equal(status, 1);
  assert.match(stderr, /none/);
  assert.doesNotMatch(stderr, /\[cause\]/);
  assert.ok(Math.max(...stderr.split("\n").map(({ length }) => length)) <= 1200, stderr.slice(0, 3000));
  assert.ok(stderr.length < 3000);
});

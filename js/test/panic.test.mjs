// What a page sees when the Go program fails: .build/panictest.wasm is the core with a hook in
// createChat, see bridge/panictest.go.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";

const sdk = new ChatSDK({
  baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1",
  wasmURL: new URL("../../.build/panictest.wasm", import.meta.url),
});

/** Answers reads. A send gets no answer until it is aborted. */
let aborted = 0;
globalThis.fetch = async (_url, init) => {
  if (init.method === "GET") {
    return new Response('{"chats":[],"has_more":false}', { headers: { "content-type": "application/json" } });
  }
  return new Promise((_, reject) => {
    init.signal.addEventListener("abort", () => {
      aborted += 1;
      reject(init.signal.reason);
    });
  });
};

const crashed = (error) => error instanceof APIError && error.code === "INTERNAL" && error.status === 0 && /the core crashed/.test(error.message);

for (const failure of [
  "panic in the operation", "panic in a goroutine", "panic in a callback", "panic that nobody recovers", "exit", "stack overflow", "out of memory",
]) {
  test(`after a ${failure} all calls in flight are rejected, and the next one works`, async () => {
    await sdk.listChats();
    aborted = 0;
    const seen = [];
    const inFlight = [
      assert.rejects(sdk.sendMessage("hi"), crashed),
      assert.rejects(sdk.sendMessageStream("hi"), crashed),
      sdk.sendMessageStream("hi", { onError: (error) => seen.push(crashed(error)), onMessageEnd: () => seen.push("end") }),
    ];
    await new Promise((resolve) => setTimeout(resolve)); // the requests are sent
    await assert.rejects(sdk.createChat(failure), crashed);
    await Promise.all(inFlight);
    assert.deepEqual(seen, [true, "end"]);
    assert.equal(aborted, 3, "requests in flight are ended");
    assert.deepEqual(await sdk.listChats(), { chats: [], has_more: false });
  });
}

/** An error, translated with the build's maps. */
const project = fileURLToPath(new URL("../..", import.meta.url));
const traced = (...args) => execFileSync("go", ["run", "./js/build/slim", "trace", ...args], { cwd: project, encoding: "utf8" });

const source = readFileSync(new URL("../../bridge/panictest.go", import.meta.url), "utf8").split("\n");

for (const [failure, name] of [
  ["panic in the operation", "failures.func1"], ["panic in a goroutine", "failures.func2.1"], ["panic in a callback", "failures.func3.1"],
]) {
  test(`the error after a ${failure} says where it was, to anyone with the map`, async () => {
    const { message } = await sdk.createChat(failure).catch((error) => error);
    const line = source.findIndex((text) => text.includes(`"${failure}":`)) + 1;
    const place = `github.com/chatsdk/chatsdk/bridge/panictest.go:${line}`;
    assert.ok(traced(message).startsWith(`github.com/chatsdk/chatsdk/bridge.(*bridge).${name}\n\t${place}\n`), traced(message));
  });
}

test("the cause of a trap says in which functions it was, to anyone with the file and its map", async () => {
  const { cause } = await sdk.createChat("stack overflow").catch((error) => error);
  const line = source.findIndex((text) => text.startsWith("func overflow")) + 1;
  const place = `github.com/chatsdk/chatsdk/bridge/panictest.go:${line}`;
  assert.match(traced("-wasm", ".build/panictest.wasm", cause.stack), new RegExp(`^github.com/chatsdk/chatsdk/bridge.overflow\n\t${place}\n`));
});

test("nothing outlives its call", async () => {
  const alive = async () => JSON.parse(JSON.stringify(await sdk.createChat("memory")));
  const rounds = async (count) => {
    for (let i = 0; i < count; i += 1) {
      await sdk.listChats();
    }
  };
  await rounds(200);
  const before = await alive();
  await rounds(2000);
  const after = await alive();
  assert.ok(after.objects - before.objects < 500, `${after.objects - before.objects} objects more after 2000 calls`);
  assert.ok(after.goroutines <= before.goroutines, `${after.goroutines - before.goroutines} goroutines more`);
});

test("the shipped file has no hook", () => {
  const shipped = readFileSync(new URL("../../dist/chatsdk.wasm", import.meta.url));
  const hooked = readFileSync(new URL("../../.build/panictest.wasm", import.meta.url));
  assert.ok(hooked.includes("on purpose"));
  assert.ok(!shipped.includes("on purpose"));
});

// close() of the built package, and what clients share.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, receipt, silence, streamed, until } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", retryDelay: 0 };
const empty = () => Response.json({ chats: [], has_more: false });
const aborted = { name: "AbortError", message: "the ChatSDK was closed" };
const isClosed = (name) => ({ name: "InvalidStateError", message: `${name}: this ChatSDK was closed; make a new one` });

test("what is in flight rejects with an AbortError, and its requests end", async () => {
  const service = new FakeService(silence);
  const sdk = new ChatSDK(config);
  const calls = [sdk.listChats(), sdk.sendMessage("hi"), sdk.createChat()];
  await until(() => service.asked.length === 3);
  sdk.close();
  for (const call of calls) await assert.rejects(call, aborted);
  await until(() => service.signals.every(({ aborted }) => aborted));
});

test("close() leaves an answer to the service", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/stop") ? empty() : streamed(events("a", "b").slice(0, 2), signal, true)));
  const sdk = new ChatSDK(config);
  const stream = sdk.stream("hi");
  const heard = [];
  const called = assert.rejects(sdk.sendMessageStream("hi", {
    onChunk: () => heard.push("chunk"), onError: () => heard.push("error"), onMessageEnd: () => heard.push("end"),
  }), aborted);
  for await (const { type } of stream) {
    if (type === "chunk") break; // leaving the loop stops the answer: this stop is posted
  }
  const other = sdk.stream("hi");
  await other[Symbol.asyncIterator]().next();
  await until(() => heard.length === 1 && service.asked.some((path) => path.endsWith("/stop")));
  sdk.close();
  await called;
  await assert.rejects(other.result, aborted);
  assert.deepEqual(heard, ["chunk"]);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(service.asked.filter((path) => path.endsWith("/stop")).length, 1);
});

// One read brings all events.
for (const [name, whole] of [["an answer that goes on", false], ["a whole answer", true]]) {
  test(`after close() in a callback nothing is called any more: ${name}`, async () => {
    const all = events("w1 ", "w2 ", "w3 ");
    new FakeService(({ signal }) => streamed([(whole ? all : all.slice(0, -2)).join("")], signal, !whole));
    const heard = [];
    const sdk = new ChatSDK({ ...config, logger: ({ message }) => heard.push(message) });
    const hear = (name) => () => heard.push(name);
    await assert.rejects(sdk.sendMessageStream("hi", {
      onChunk: () => {
        heard.length = 0;
        sdk.close();
      },
      onComplete: hear("onComplete"), onMessageEnd: hear("onMessageEnd"), onError: hear("onError"), onStart: hear("onStart"),
    }), aborted);
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.deepEqual(heard, []);
  });
}

test("after close() in onError nothing is called any more", async () => {
  new FakeService(() => Response.json({ error: { code: "UNAVAILABLE", message: "m" } }, { status: 400 }));
  const sdk = new ChatSDK(config);
  const heard = [];
  await sdk.sendMessageStream("hi", { onError: () => { heard.push("error"); sdk.close(); }, onMessageEnd: () => heard.push("end") }).catch(() => {});
  assert.deepEqual(heard, ["error"]);
});

test("later calls say that it was closed, and send nothing", async () => {
  const service = new FakeService(empty);
  const sdk = new ChatSDK(config);
  await sdk.listChats();
  sdk.close();
  sdk.close();
  service.asked.length = 0;
  await assert.rejects(sdk.listChats(), isClosed("listChats"));
  await assert.rejects(sdk.stream("hi").result, isClosed("stream"));
  await assert.rejects(sdk.sendMessageStream("hi", { onError() {}, onMessageEnd: () => assert.fail("nothing was begun") }), isClosed("sendMessageStream"));
  await assert.rejects(new ChatSDK({ ...config, accessToken: undefined, apiKey: "k", apiSecret: "s".repeat(32) }).createAccessToken({}), TypeError);
  assert.deepEqual(service.asked, []);
});

test("a client that is closed before its core has loaded", async () => {
  const service = new FakeService(empty);
  const starts = counting();
  const sdk = new ChatSDK({ ...config, wasmURL: new URL("../../dist/chatsdk.wasm?closed", import.meta.url) });
  const call = sdk.listChats();
  sdk.close();
  await assert.rejects(call, aborted);
  await until(() => starts.count === 1); // it starts anyway
  await new Promise((resolve) => setTimeout(resolve, 50));
  starts.stop();
  assert.deepEqual(service.asked, []);
});

test("a core ends with its last client, and others are not disturbed", async () => {
  new FakeService(empty);
  const starts = counting();
  const wasmURL = new URL("../../dist/chatsdk.wasm?shared", import.meta.url);
  const [one, two] = [new ChatSDK({ ...config, wasmURL }), new ChatSDK({ ...config, wasmURL })];
  await Promise.all([one.listChats(), two.listChats()]);
  assert.equal(starts.count, 1);
  one.close();
  await two.listChats();
  assert.equal(starts.count, 1);
  two.close();
  await new Promise((resolve) => setTimeout(resolve, 5500)); // it lives 5 s longer than its clients
  await new ChatSDK({ ...config, wasmURL }).listChats();
  assert.equal(starts.count, 2, "the core was freed");
  starts.stop();
});

test("a program on a server ends when its client is closed", async () => {
  const { execFileSync } = await import("node:child_process");
  const program = `
    import { createServer } from "node:http";
    const { ChatSDK } = await import(process.argv[1]);
    const server = createServer((request) => request.resume()).listen(0, "127.0.0.1", async () => {
      const sdk = new ChatSDK({ baseUrl: "http://127.0.0.1:" + server.address().port, projectId: "p", accessToken: "t" });
      const call = sdk.listChats().catch((error) => console.log(error.name));
      server.on("request", () => { sdk.close(); server.close(); });
      await call;
    });`;
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program, new URL("../../dist/chatsdk.mjs", import.meta.url).href], { encoding: "utf8", timeout: 30_000 });
  assert.equal(said.trim(), "AbortError");
});

test("closing one client fails no call of another that is waiting for the core", async () => {
  new FakeService(empty);
  const wasmURL = new URL("../../dist/chatsdk.wasm?another", import.meta.url);
  const [one, two] = [new ChatSDK({ ...config, wasmURL }), new ChatSDK({ ...config, wasmURL })];
  const given = assert.rejects(one.listChats(), aborted);
  one.close();
  await two.listChats();
  await given;
  const three = new ChatSDK({ ...config, wasmURL });
  await three.listChats();
  const call = new ChatSDK({ ...config, wasmURL }).listChats();
  three.close();
  assert.deepEqual((await call).chats, []);
});

test("an answer that was left just before close() is stopped", async () => {
  const answer = ({ path, signal }) => (path.endsWith("/stop") ? receipt("a") : streamed(events("a", "b").slice(0, 2), signal, true));
  for (const leave of [
    async (sdk) => {
      const controller = new AbortController();
      await assert.rejects(sdk.sendMessageStream("hi", { signal: controller.signal, onChunk() { controller.abort(); sdk.close(); } }), { name: "AbortError" });
    },
    async (sdk) => {
      for await (const { type } of sdk.stream("hi")) if (type === "chunk") break;
      sdk.close();
    },
  ]) {
    const service = new FakeService(answer);
    await leave(new ChatSDK(config));
    await until(() => service.asked.includes("POST /v3/chat/stream/s1/stop"));
  }
});

// In a browser; elsewhere each ChatSDK has its own core, see load.ts.
test("clients of one module share a core in a page", async () => {
  new FakeService(empty);
  const starts = counting();
  const wasmModule = await WebAssembly.compile(readFileSync(new URL("../../dist/chatsdk.wasm", import.meta.url)));
  globalThis.importScripts = globalThis.addEventListener = () => {};
  const { navigator } = globalThis;
  if (navigator === undefined) globalThis.navigator = {};
  try {
    for (let i = 0; i < 5; i++) await new ChatSDK({ ...config, wasmModule }).listChats();
    assert.equal(starts.count, 1);
  } finally {
    delete globalThis.importScripts;
    delete globalThis.addEventListener;
    if (navigator === undefined) delete globalThis.navigator;
    starts.stop();
  }
});

/** Counts the instances. */
function counting() {
  const { instantiate } = WebAssembly;
  const starts = { count: 0, stop: () => { WebAssembly.instantiate = instantiate; } };
  WebAssembly.instantiate = (...args) => {
    starts.count++;
    return instantiate(...args);
  };
  return starts;
}

test("a core that could not be loaded is not loaded again after close()", async () => {
  const asked = { closed: 0, other: 0 };
  const { fetch } = globalThis;
  globalThis.fetch = async (url) => {
    asked[new URL(url).pathname.slice(1)] += 1;
    return new Response("", { status: 503 });
  };
  const sdk = new ChatSDK({ ...config, wasmURL: "https://site.example/closed", maxRetries: 5 });
  const call = sdk.listChats();
  await until(() => asked.closed === 1);
  sdk.close();
  await assert.rejects(call, aborted);
  await assert.rejects(new ChatSDK({ ...config, wasmURL: "https://site.example/other", maxRetries: 5 }).listChats(), { code: "NETWORK" });
  globalThis.fetch = fetch;
  assert.deepEqual(asked, { closed: 1, other: 6 });
});

// `wasmModule`: the core from a module that the application compiled.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInNewContext } from "node:vm";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, streamed } from "./fake-fetch.mjs";

const bytes = readFileSync(new URL("../../dist/chatsdk.wasm", import.meta.url));
const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1" };
const empty = () => new Response('{"chats":[],"has_more":false}', { headers: { "content-type": "application/json" } });

/** The modules that were started; Node also starts its own. */
const { instantiate } = WebAssembly;
const started = [];
WebAssembly.instantiate = (module, imports) => {
  started.push(module);
  return instantiate(module, imports);
};

test("a module is started once for each ChatSDK, and only the service gets requests", async () => {
  const service = new FakeService(empty);
  const wasmModule = await WebAssembly.compile(bytes);
  for (const sdk of [new ChatSDK({ ...config, wasmModule }), new ChatSDK({ ...config, wasmModule })]) {
    const before = started.length;
    await Promise.all([sdk.listChats(), sdk.listChats()]);
    assert.deepEqual(started.slice(before), [wasmModule]);
  }
  assert.deepEqual(service.asked, Array(4).fill("GET /project/p1/chat"));
});

test("a module may come from another realm", async () => {
  new FakeService(empty);
  const wasmModule = runInNewContext("new WebAssembly.Module(bytes)", { bytes });
  assert.ok(!(wasmModule instanceof WebAssembly.Module));
  assert.deepEqual(await new ChatSDK({ ...config, wasmModule }).listChats(), { chats: [], has_more: false });
});

// As those of Node's classes do under jsdom, which test runners use.
test("the bytes of an answer may come from another realm", async () => {
  const foreign = (expression, value) => runInNewContext(expression, { value });
  const inPieces = () => {
    const response = streamed(events("Hello"));
    const { body } = response;
    const reader = body.getReader();
    body.getReader = () => ({
      read: async () => {
        const { done, value } = await reader.read();
        return { done, value: value && foreign("new Uint8Array(value).subarray(1)", [0, ...value]) };
      },
      cancel: () => reader.cancel(),
      releaseLock() {},
    });
    Object.defineProperty(response, "body", { value: body });
    return response;
  };
  const whole = () => {
    const response = empty();
    const own = response.arrayBuffer();
    response.arrayBuffer = async () => foreign("new Uint8Array(value).buffer", [...new Uint8Array(await own)]);
    return response;
  };
  new FakeService(({ method }) => (method === "POST" ? inPieces() : whole()));
  const sdk = new ChatSDK({ ...config, wasmModule: await WebAssembly.compile(bytes) });
  assert.equal((await sdk.stream("hi").result).content, "Hello");
  assert.deepEqual(await sdk.listChats(), { chats: [], has_more: false });
});

test("an older workerd has no FinalizationRegistry", async () => {
  const { FinalizationRegistry } = globalThis;
  delete globalThis.FinalizationRegistry;
  const { ChatSDK: older } = await import("../../dist/chatsdk.mjs?older");
  globalThis.FinalizationRegistry = FinalizationRegistry;
  new FakeService(empty);
  const wasmModule = await WebAssembly.compile(bytes);
  assert.deepEqual(await new older({ ...config, wasmModule }).listChats(), { chats: [], has_more: false });
});

test("the error about a missing file says what to do", async () => {
  const wasmURL = new URL("nowhere.wasm", import.meta.url);
  await assert.rejects(new ChatSDK({ ...config, wasmURL }).listChats(), ({ name, message, advice, cause }) =>
    name === "APIError" && message === `ChatSDK: ${wasmURL} cannot be read` && advice.startsWith("set wasmURL to") && cause.code === "ENOENT");
});

// Bundles in workerd have no address, and neither has a module of a data: URL.
test("with wasmModule the script needs no address", async () => {
  new FakeService(empty);
  const bundle = ["tool", "esbuild", "--bundle", "--format=esm", "--log-level=error", "dist/chatsdk.mjs"];
  const script = execFileSync("go", bundle, { cwd: fileURLToPath(new URL("../..", import.meta.url)) }).toString("base64");
  const placeless = (await import(`data:text/javascript;base64,${script}`)).ChatSDK;
  const wasmModule = await WebAssembly.compile(bytes);
  assert.deepEqual(await new placeless({ ...config, wasmModule }).listChats(), { chats: [], has_more: false });
  await assert.rejects(new placeless(config).listChats(), { name: "APIError", message: /no import.meta.url$/, advice: /^set wasmURL to/ });
});

test("an invalid module is refused, and so is a module beside a wasmURL", async () => {
  const wasmModule = await WebAssembly.compile(bytes);
  for (const [options, message] of [
    [{ wasmModule: bytes }, /^ChatSDK: wasmModule is an object, want a WebAssembly.Module$/],
    [{ wasmModule: "chatsdk.wasm" }, /wasmModule is a string, want/],
    [{ wasmModule, wasmURL: "https://cdn.example.com/chatsdk.wasm" }, /wasmModule is set as well as wasmURL; set only one/],
  ]) {
    assert.throws(() => new ChatSDK({ ...config, ...options }), { name: "TypeError", message });
    await assert.rejects(ChatSDK.preload(options), { name: "TypeError", message });
  }
  assert.doesNotThrow(() => new ChatSDK({ ...config, wasmModule: null, wasmURL: undefined }));
});

test("the loader has exactly the functions that the module imports", async () => {
  const { loader } = await import("../../.build/wasm_exec.mjs");
  const Go = loader({ ...globalThis, TextDecoder, TextEncoder, performance, Promise });
  const { importObject } = new Go();
  const wanted = WebAssembly.Module.imports(await WebAssembly.compile(bytes));
  assert.deepEqual(new Set(wanted.map(({ module }) => module)), new Set(Object.keys(importObject)));
  assert.deepEqual(new Set(wanted.map(({ name }) => name)), new Set(Object.keys(importObject.gojs)));
});

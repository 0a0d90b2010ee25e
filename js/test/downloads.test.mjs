// The download of chatsdk.wasm, which is retried like any other request.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { promisify } from "node:util";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const wasm = readFileSync(new URL("../../dist/chatsdk.wasm", import.meta.url));
/** The answer to the n-th request for a path. */
const scripts = new Map();
const counts = new Map();
const server = createServer((request, response) => {
  const path = request.url;
  counts.set(path, (counts.get(path) ?? 0) + 1);
  if (path.startsWith("/project/")) {
    response.setHeader("content-type", "application/json").end('{"chats":[],"has_more":false}');
    return;
  }
  scripts.get(path)(response, counts.get(path));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => { server.closeAllConnections(); server.close(); });
const origin = `http://127.0.0.1:${server.address().port}`;

const whole = (response) => response.setHeader("content-type", "application/wasm").end(wasm);
const failures = {
  "never comes": [() => {}, "TIMEOUT"],
  "stops in the middle": [(response) => response.writeHead(200, { "content-type": "application/wasm" }).write(wasm.subarray(0, 1000)), "TIMEOUT"],
  "is cut": [(response) => { response.writeHead(200, { "content-type": "application/wasm", "content-length": wasm.length }); response.write(wasm.subarray(0, 1000), () => response.destroy()); }, "NETWORK"],
  "is cut, as bytes": [(response) => { response.writeHead(200, { "content-type": "text/plain", "content-length": wasm.length }); response.write(wasm.subarray(0, 1000), () => response.destroy()); }, "NETWORK"],
  "is refused": [(response) => response.destroy(), "NETWORK"],
  "is unavailable": [(response) => response.writeHead(503).end(), "NETWORK"],
};
const client = (path, settings) =>
  new ChatSDK({ baseUrl: origin, projectId: "p1", accessToken: "t", retryDelay: 0, timeout: 2000, wasmURL: origin + path, ...settings });

for (const [how, [fail, code]] of Object.entries(failures)) {
  const path = `/${how.replaceAll(" ", "-")}.wasm`;
  test(`a module that ${how} is an error that may be retried, and the next call loads it`, async () => {
    scripts.set(path, (response, n) => (n === 1 ? fail(response) : whole(response)));
    const impatient = client(path, { maxRetries: 0, timeout: 500 });
    await assert.rejects(impatient.listChats(), { name: "APIError", status: 0, code, retryable: true });
    assert.deepEqual((await client(path).listChats()).chats, []);
    assert.equal(counts.get(path), 2);
  });
  test(`a call survives a module that ${how} once`, async () => {
    const path = `/again-${how.replaceAll(" ", "-")}.wasm`;
    scripts.set(path, (response, n) => (n === 1 ? fail(response) : whole(response)));
    const patient = client(path, { timeout: code === "TIMEOUT" ? 500 : 10_000 });
    assert.deepEqual((await patient.listChats()).chats, []);
    assert.equal(counts.get(path), 2);
  });
}

// In a new process, where the script of the core has to be loaded, too.
test("platforms accept a timeout of many years", async () => {
  scripts.set("/years.wasm", whole);
  const settings = { baseUrl: origin, projectId: "p1", accessToken: "t", maxRetries: 0, timeout: Number.MAX_SAFE_INTEGER, wasmURL: `${origin}/years.wasm` };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", `
    import { ChatSDK } from ${JSON.stringify(new URL("../../dist/chatsdk.mjs", import.meta.url).href)};
    console.log((await new ChatSDK(${JSON.stringify(settings)}).listChats()).chats.length);
  `]);
  assert.equal(stdout, "0\n");
});

test("a missing module is not retried, and the error names what serves it", async () => {
  scripts.set("/missing.wasm", (response) => response.writeHead(404).end());
  await assert.rejects(client("/missing.wasm").listChats(), (error) => {
    assert.equal(error.retryable, false);
    assert.match(error.message, /missing\.wasm answered 404$/);
    assert.match(error.advice, /^set wasmURL to where chatsdk\.wasm .*Vite.*Next\.js.*Rollup/);
    return true;
  });
  assert.equal(counts.get("/missing.wasm"), 1);
});

test("on a platform without WebAssembly the error says so", async () => {
  const { WebAssembly } = globalThis;
  delete globalThis.WebAssembly;
  try {
    await assert.rejects(client("/none.wasm").listChats(), { message: /WebAssembly cannot run here$/, advice: /^this platform has no WebAssembly/ });
  } finally {
    globalThis.WebAssembly = WebAssembly;
  }
});

test("in workerd the error names wasmModule", async () => {
  const before = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  Object.defineProperty(globalThis, "navigator", { value: { userAgent: "Cloudflare-Workers" }, configurable: true });
  try {
    await assert.rejects(new ChatSDK({ baseUrl: origin, projectId: "p1", accessToken: "t" }).listChats(), { advice: /give wasmModule, from import wasmModule from "chatsdk\/chatsdk\.wasm"$/ });
  } finally {
    delete globalThis.navigator;
    if (before) Object.defineProperty(globalThis, "navigator", before);
  }
});

test("preload refuses an option that it does not know", async () => {
  await assert.rejects(ChatSDK.preload({ wasmUrl: "typo" }), { name: "TypeError", message: "preload: wasmUrl is unknown, want one of wasmURL, wasmModule, worker, signal, timeout, maxRetries" });
  await assert.rejects(ChatSDK.preload(5), { name: "TypeError" });
});

// The advice of an error, for the page's developer.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };

test("advice is a field of the error, and in the console once", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const sdk = new ChatSDK({ ...config, wasmURL: new URL("nowhere.wasm", import.meta.url) });
  for (const call of [() => sdk.listChats(), () => sdk.stream("hi").result, () => sdk.sendMessage("hi")]) {
    await assert.rejects(call(), ({ message, advice }) => {
      assert.match(message, /^ChatSDK: file:.*nowhere\.wasm cannot be read$/);
      assert.match(advice, /^set wasmURL to where chatsdk\.wasm of the same version is served/);
      return true;
    });
  }
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0].arguments[0], /^APIError: ChatSDK: .*nowhere\.wasm cannot be read; set wasmURL to where/);
});

test("an error without advice writes nothing, and has no such field", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  globalThis.fetch = async () => Response.json({ status_code: 404, error: { code: "ENTITY_NOT_FOUND", message: "Chat not found" } }, { status: 404 });
  await assert.rejects(new ChatSDK(config).getChatHistory("c1"), (error) => !Object.hasOwn(error, "advice") && error.message === "Chat not found");
  assert.equal(warn.mock.callCount(), 0);
});

/** What a program that catches nothing prints before it ends. */
function printed(program) {
  const sdk = JSON.stringify(new URL("../../dist/chatsdk.mjs", import.meta.url));
  const { stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", `import { ChatSDK } from ${sdk}; ${program}`], { encoding: "utf8" });
  assert.equal(status, 1);
  return stderr;
}

test("the advice of an error that nobody catches is written too", () => {
  const text = printed(`await new ChatSDK(${JSON.stringify({ ...config, wasmURL: "file:///nowhere.wasm" })}).listChats();`);
  assert.match(text, /^APIError: ChatSDK: file:\/\/\/nowhere\.wasm cannot be read; set wasmURL to where/m);
});

for (const [name, program, sentence] of [
  ["a setting that is missing", `new ChatSDK({ baseUrl: "https://a.example", projectId: "p1" });`,
    "TypeError: ChatSDK: accessToken is missing: give accessToken, or apiKey and apiSecret on a server"],
  ["a wrong address", `new ChatSDK({ baseUrl: "nowhere", projectId: "p1", accessToken: "t" });`,
    "TypeError: ChatSDK: baseUrl is not an http address"],
  ["a tool that is none", `new ChatSDK({ ...${JSON.stringify(config)}, tools: { t: 5 } });`,
    "TypeError: ChatSDK: tools.t is 5, want {description, parameters, run}"],
  ["a wrong argument", `await new ChatSDK(${JSON.stringify(config)}).listChats(undefined, 101);`, "TypeError: listChats: limit is 101, want 1 to 100"],
  ["a service that is gone", `await new ChatSDK({ ...${JSON.stringify(config)}, baseUrl: "http://127.0.0.1:1" }).listChats();`,
    "APIError: listChats: http://127.0.0.1:1 could not be reached"],
]) {
  test(`an uncaught error of ${name} shows its sentence in Node, and little code`, () => {
    const text = printed(program);
    assert.ok(text.includes(sentence), text);
    assert.ok(text.length < 4000, `${text.length} characters`);
    assert.ok(Math.max(...text.split("\n").map((line) => line.trim().length)) < 1300, text);
  });
}

// The waits between the tries to load the core: js/src/load.ts. sdk/backoff_test.go runs the same file for requests.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const vectors = JSON.parse(readFileSync(new URL("../../sdk/testdata/backoff.json", import.meta.url), "utf8"));

for (const { name, longest, ...setting } of vectors) {
  test(`the longest waits with this retryDelay: ${name}`, async () => {
    const { setTimeout: timer } = globalThis;
    const waits = [];
    mock.method(globalThis, "fetch", async () => { throw new TypeError("fetch failed"); });
    mock.method(Math, "random", () => 1);
    mock.method(globalThis, "setTimeout", (run, ms) => {
      if (ms < 120_000) { // not a timeout
        waits.push(ms);
      }
      return timer(run, ms < 120_000 ? 0 : ms);
    });
    const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", wasmURL: `https://${longest.length}.example/core.wasm` };
    await assert.rejects(new ChatSDK({ ...config, ...setting, maxRetries: longest.length }).listChats(), { code: "NETWORK" });
    assert.deepEqual(waits, longest);
    mock.restoreAll();
  });
}

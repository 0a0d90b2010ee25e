// The core with a garbage collector that runs as often as possible: the shipped core has tables
// that the build rewrote (js/build/slim), and the collector reads them. COLLECTOR_ROUNDS=3000 runs
// it for minutes.
import assert from "node:assert/strict";
import { test } from "node:test";

import { APIError, ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, receipt, streamed } from "./fake-fetch.mjs";

const rounds = Number(process.env.COLLECTOR_ROUNDS ?? 40);
const sdk = new ChatSDK({
  baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 2, retryDelay: 0,
  wasmURL: new URL("../../.build/panictest.wasm", import.meta.url),
});

const chats = Array.from({ length: 30 }, (_, i) => ({ chat_id: `c${i}`, name: `chat ${i} “ü”`, created_at: i }));

/** An answer's chunks, which differ in each round. */
const chunks = (round) => Array.from({ length: 60 }, (_, i) => `${round}.${i} ${"ä\n\"".repeat(i % 9)}`);

async function answered(round) {
  const texts = chunks(round);
  new FakeService(({ path, signal, headers }) => {
    if (path.endsWith("/stop")) {
      return receipt(texts.join(""));
    }
    const all = events(...texts);
    const seen = Number(headers["last-event-id"] ?? 0);
    return streamed(all.slice(seen, seen + 25), signal); // cut again and again
  });
  const seen = [];
  const stream = sdk.stream("hi");
  for await (const event of stream) {
    seen.push(...(event.type === "chunk" ? [event.text] : []));
  }
  assert.deepEqual(seen, texts);
  assert.equal((await stream.result).content, texts.join(""));
}

async function listed() {
  new FakeService(() => Response.json({ chats, has_more: false }));
  const lists = await Promise.all(Array.from({ length: 5 }, () => sdk.listChats()));
  for (const list of lists) {
    assert.deepEqual(list, { chats, has_more: false });
  }
}

async function refused() {
  new FakeService(() => Response.json({ status_code: 404, error: { code: "ENTITY_NOT_FOUND", message: "gone" } }, { status: 404 }));
  await assert.rejects(sdk.getChatHistory("c1"), (error) => error instanceof APIError && error.code === "ENTITY_NOT_FOUND");
  assert.throws(() => new ChatSDK({}), TypeError);
  await assert.rejects(sdk.listChats(undefined, -1), TypeError);
}

async function aborted() {
  new FakeService(() => new Promise(() => {}));
  const leaving = new AbortController();
  const call = sdk.listChats(undefined, undefined, { signal: leaving.signal });
  leaving.abort();
  await assert.rejects(call, { name: "AbortError" });
}

test(`${rounds} rounds of calls and answers are right while garbage is collected at each chance`, { timeout: 1_200_000 }, async () => {
  const before = await sdk.createChat("collect at each chance");
  for (let round = 0; round < rounds; round += 1) {
    await answered(round);
    await listed();
    await refused();
    await aborted();
  }
  const { collections } = await sdk.createChat("collect at each chance");
  assert.ok(collections - before.collections > 4 * rounds, `${collections - before.collections} collections`);
});

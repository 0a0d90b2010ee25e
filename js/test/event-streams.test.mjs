// How the decoder in chatsdk.wasm reads the vectors, as far as a page can see it: each of their
// events becomes a chunk.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

const vectors = JSON.parse(readFileSync(new URL("../../sdk/testdata/event-streams.json", import.meta.url), "utf8"));
const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1" });

/** Lines with their ends: CRLF, CR or LF. The decoder under test is stricter than this needs to be. */
const lines = (text) => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];

/** The stream with each data line as the chunk that it holds. Other lines stay unchanged. */
function asChunks(text) {
  return lines(text)
    .map((line) => line.replace(/^(\ufeff?)data(?:: ?([^\r\n]*))?(?=[\r\n]|$)/, (_, mark, data = "") =>
      `${mark}event: chunk\ndata: ${JSON.stringify({ text: data })}`))
    .join("");
}

/** Vectors of plain events with one line each: a chunk has no other name, id or second line. */
const plain = vectors.filter(({ text, events }) =>
  text !== undefined && !/^\ufeff?(?:event|id)/m.test(text.replaceAll("\r", "\n")) &&
  events.every(({ type, data }) => type === "message" && !data.includes("\n")) && !/\0/.test(text));

/** A response in parts of this size. */
function inParts(text, size) {
  const bytes = Buffer.from(text);
  return new ReadableStream({
    start(controller) {
      for (let i = 0; i < bytes.length; i += size) {
        controller.enqueue(new Uint8Array(bytes.subarray(i, i + size)));
      }
      controller.close();
    },
  });
}

for (const { name, text, events } of plain) {
  test(`chunks: ${name}`, async () => {
    for (const size of [1, 7, 1 << 20]) {
      globalThis.fetch = async () => new Response(inParts(asChunks(text), size), { headers: { "content-type": "text/event-stream" } });
      const chunks = [];
      await sdk.sendMessageStream("hi", { onChunk: (chunk) => chunks.push(chunk), onError: () => {} });
      assert.deepEqual(chunks, events.map(({ data }) => data), `in parts of ${size} bytes`);
    }
  });
}

test("enough of the vectors are tested this way", () => assert.ok(plain.length >= 20, `${plain.length} of ${vectors.length}`));

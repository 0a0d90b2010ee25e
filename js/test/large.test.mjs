// Answers over 16 MiB: streams, histories and documents, in the program and past it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, streamed } from "./fake-fetch.mjs";

const mebibyte = "word ".repeat(1 << 18).slice(0, 1 << 20);
const text = mebibyte.repeat(17);
const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", maxRetries: 0 };

for (const [how, chunks] of [["in many chunks", Array.from({ length: 17 }, () => mebibyte)], ["in one chunk", [text]]]) {
  test(`an answer over 16 MiB ${how} is whole`, async () => {
    const service = new FakeService(({ signal }) => streamed(events(...chunks), signal));
    const sdk = new ChatSDK(config);
    const { content } = await sdk.stream("hi").result;
    assert.ok(content === text);
    assert.equal(service.asked.length, 1);
    sdk.close();
  });
}

for (const images of [undefined, ["/i"]]) { // with images a history goes through the program
  test(`a history over 16 MiB ${images ? "with" : "without"} images is whole`, async () => {
    const message = {
      id: "m2", chat_id: "c1", role: "assistant", content: mebibyte, created_at: 1, finish_reason: "stop", ...(images && { image_urls: images }),
    };
    new FakeService(() => Response.json({ messages: Array.from({ length: 17 }, () => message), has_more: false }));
    const sdk = new ChatSDK(config);
    const { messages } = await sdk.getChatHistory("c1");
    assert.equal(messages.length, 17);
    assert.ok(messages.every(({ content }) => content === mebibyte));
    sdk.close();
  });
}

test("a document over 16 MiB is whole", async () => {
  new FakeService(() => Response.json({ document_key: "d1", text, start: 0, end: text.length, length: text.length }));
  const sdk = new ChatSDK(config);
  assert.ok((await sdk.getDocument("d1")).text === text);
  sdk.close();
});

test("more than can be read is an error that says what to do", async () => {
  const message = { id: "m2", role: "assistant", content: mebibyte, image_urls: ["/i"] };
  new FakeService(() => Response.json({ messages: Array.from({ length: 65 }, () => message) }));
  const sdk = new ChatSDK(config);
  await assert.rejects(sdk.getChatHistory("c1", { limit: 100 }), (error) => {
    assert.equal(error.message, "getChatHistory: the answer has more than 67108864 bytes");
    assert.match(error.advice, /take a limit/);
    return true;
  });
  sdk.close();
});

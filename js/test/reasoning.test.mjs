// What a model thinks, for those who ask for it, and what an answer says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";

import { ChatSDKTransport, toUIMessages } from "../../dist/ai-sdk.mjs";
import { ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const message = {
  id: "m2", chat_id: "c1", role: "assistant", content: "Yes.", created_at: 1, finish_reason: "stop", reasoning: "Let me see.",
  usage: { input_tokens: 9, output_tokens: 4, reasoning_tokens: 3 }, left_out: { messages: 2 },
};
const list = [
  ["start", { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" }], ["reasoning", { text: "Let me " }], ["reasoning", { text: "see." }],
  ["chunk", { text: "Yes." }], ["complete", { message, chunks: 1, bytes: 4, crc32: crc32("Yes.").toString(16).padStart(8, "0") }], ["end", {}],
];
const stream = () =>
  new Response(list.map(([name, data], i) => `id: ${i + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join(""),
    { headers: { "content-type": "text/event-stream" } });

/** The `reasoning` that each request asked for. */
function asking() {
  const asked = [];
  new FakeService(({ body }) => {
    asked.push(body instanceof FormData ? body.get("reasoning") : JSON.parse(body).reasoning);
    return stream();
  });
  return asked;
}

test("onReasoning gets what the model thinks, and asks for it", async () => {
  const asked = asking();
  const sdk = new ChatSDK(config);
  const heard = [];
  let whole;
  const callbacks = { onReasoning: (text) => heard.push(text), onChunk: (text) => heard.push(`chunk ${text}`), onComplete: (got) => (whole = got) };
  await sdk.sendMessageStream("hi", callbacks);
  assert.deepEqual(heard, ["Let me ", "see.", "chunk Yes."]);
  assert.deepEqual([whole.reasoning, whole.usage, whole.left_out], [message.reasoning, message.usage, message.left_out]);
  await sdk.sendMessageStream("hi", { ...callbacks, reasoning: false });
  await sdk.sendMessageStream("hi", { reasoning: true });
  await sdk.sendMessageStream("hi");
  await sdk.regenerateMessage("c1", "m2", callbacks);
  await sdk.regenerateMessage("c1", "m2", { ...callbacks, reasoning: false });
  await sdk.regenerateMessage("c1", "m2", { reasoning: true });
  assert.deepEqual(asked, ["true", null, "true", null, true, undefined, true]);
});

test("a stream has events of what the model thinks, if it is asked for", async () => {
  const asked = asking();
  const events = [];
  for await (const event of new ChatSDK(config).stream("hi", { reasoning: true })) {
    events.push(event.type === "reasoning" ? event : event.type);
  }
  assert.deepEqual(events, ["start", { type: "reasoning", text: "Let me " }, { type: "reasoning", text: "see." }, "chunk", "complete", "end"]);
  assert.deepEqual(asked, ["true"]);
});

test("the transport asks for reasoning, and the history has it as a part", async () => {
  const asked = asking();
  const user = { id: "ui-1", role: "user", parts: [{ type: "text", text: "hi" }] };
  const transport = new ChatSDKTransport(new ChatSDK(config), { reasoning: true });
  const chunks = await transport.sendMessages({ trigger: "submit-message", chatId: "c1", messageId: undefined, messages: [user], abortSignal: undefined });
  const types = [];
  for await (const { type } of chunks) {
    types.push(type);
  }
  assert.deepEqual(types.slice(0, 4), ["start", "reasoning-start", "reasoning-delta", "reasoning-end"]);
  assert.deepEqual(asked, ["true"]);
  const [{ parts, metadata }] = toUIMessages({ messages: [message] });
  assert.deepEqual(parts, [{ type: "reasoning", text: "Let me see." }, { type: "text", text: "Yes." }]);
  assert.deepEqual([metadata.reasoning, metadata.usage], [undefined, message.usage]);
});

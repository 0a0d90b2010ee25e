// What crosses the border between the page and the program, of the built package.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

let memory;
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const made = await instantiate(...args);
  memory = (made.instance ?? made).exports.mem;
  return made;
};

const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 1 });
const answer = () => Response.json({ message: { id: "m2", role: "assistant", content: "x", created_at: 1 }, chat_id: "c1", message_id: "m2" });
const image = new Blob(["image"], { type: "image/png" });

/** A service that keeps the messages and the number of images of what was sent. */
function keeping(respond = ({ signal, path }) => (path.endsWith("/message") ? answer() : streamed(events("x"), signal))) {
  const sent = [];
  const service = new FakeService((request) => {
    sent.push([request.body.get("message"), request.body.getAll("images").length]);
    return respond(request);
  });
  return { service, sent };
}

test("a message of 5 MB of escapes does not enter the program", async () => {
  const text = 'a"b\n'.repeat(1_250_000);
  for (const [name, send] of Object.entries({
    sendMessage: (message) => sdk.sendMessage(message, { chatId: "c1" }),
    "with images": (message) => sdk.sendMessage(message, { chatId: "c1", images: [image, image] }),
    sendMessageStream: (message) => sdk.sendMessageStream(message, { chatId: "c1" }),
    editMessage: (message) => sdk.editMessage("c1", "m1", message),
    stream: (message) => sdk.stream(message).result,
  })) {
    const streams = !name.startsWith("sendMessage") && name !== "with images" || name === "sendMessageStream";
    const { sent } = keeping(({ signal }) => (streams ? streamed(events("x"), signal) : answer()));
    await send("small");
    const before = memory.buffer.byteLength;
    await send(text);
    assert.ok(memory.buffer.byteLength - before < 2 << 20, `${name}: the program's memory grew by ${memory.buffer.byteLength - before} bytes`);
    assert.equal(sent.length, 2, name);
    assert.ok(sent[1][0] === text, `${name}: another text was sent`);
    assert.equal(sent[1][1], name === "with images" ? 2 : 0);
  }
});

test("formatInstructions and exampleJson of 5 MB of escapes do not enter the program, and go into their own fields", async () => {
  const [formatInstructions, exampleJson] = ['a"b\n'.repeat(1_250_000), JSON.stringify({ text: 'a"b\n'.repeat(1_000_000) })];
  for (const options of [{ formatInstructions }, { exampleJson }, { exampleJson, formatInstructions, images: [image, image] }]) {
    let sent;
    new FakeService(({ body }) => {
      sent = body;
      return answer();
    });
    await sdk.sendMessage("small", { chatId: "c1" });
    const before = memory.buffer.byteLength;
    await sdk.sendMessage("small", { chatId: "c1", ...options });
    assert.ok(memory.buffer.byteLength - before < 2 << 20, `the program's memory grew by ${memory.buffer.byteLength - before} bytes`);
    assert.equal(sent.get("message"), "small");
    assert.ok(sent.get("format_instructions") === (options.formatInstructions ?? null), "other instructions were sent");
    assert.ok(sent.get("example_json") === (options.exampleJson ?? null), "another example was sent");
    assert.equal(sent.getAll("images").length, options.images?.length ?? 0);
  }
});

test("a text that is U+0000 is sent as it is", async () => {
  let sent;
  new FakeService(({ body }) => {
    sent = body;
    return answer();
  });
  await sdk.sendMessage("\0", { chatId: "c1", formatInstructions: "\0", exampleJson: "{}", modelName: "\0" });
  assert.deepEqual(["message", "format_instructions", "example_json", "model_name"].map((name) => sent.get(name)), ["\0", "\0", "{}", "\0"]);
});

test("the second try of a message sends the same text with the same key", async () => {
  let tries = 0;
  const { service, sent } = keeping(() => (tries++ ? answer() : refusal(503, "UNAVAILABLE", { "retry-after": "0" })));
  await sdk.sendMessage("hello", { chatId: "c1", images: [image] });
  assert.deepEqual(sent, [["hello", 1], ["hello", 1]]);
  assert.ok(service.keys[0]);
  assert.equal(service.keys[0], service.keys[1]);
});

test("lone surrogates become U+FFFD, and all other text stays", async () => {
  const { sent } = keeping(answer);
  for (const text of ["a\ud800b", "\udc00", "\ufeffx", " \u0000 ", "é😀\r\n\n"]) {
    await sdk.sendMessage(text, { chatId: "c1" });
    assert.equal(sent.at(-1)[0], text.toWellFormed());
  }
});

test("what is blank or no text is refused as before", async () => {
  const { sent } = keeping(answer);
  for (const blank of ["", " \n\t", "\u0085\u3000", undefined, null]) {
    await assert.rejects(sdk.sendMessage(blank, { images: [image] }), { name: "TypeError", message: "sendMessage: message is blank" });
  }
  await assert.rejects(sdk.sendMessage(5), { name: "TypeError", message: /message is a number, want a string/ });
  assert.deepEqual(sent, []);
});

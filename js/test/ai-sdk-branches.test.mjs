// Edits and regenerated answers in the AI SDK's own chat.
import assert from "node:assert/strict";
import { test } from "node:test";

import { toUIMessages } from "../../dist/ai-sdk.mjs";
import { again, asked, Chat, follow, history, message, question, reply, send, serving, wire } from "./ai-chat.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

const all = `${history}?branches=all`;
const user = { id: "ui-1", role: "user", parts: [{ type: "text", text: "hi" }] };
const more = [question({ id: "m3", content: "more", parent_id: "m2" }), reply({ id: "m4", parent_id: "m3" })];
const stored = [asked, reply({ parent_id: "m1" }), ...more];

/** A service, and the forms of the messages that are sent to it. */
function forms(messages = stored, chunks = ["c"]) {
  const sent = [];
  const service = serving(messages, [], ({ path, body, signal }) => {
    if (!path.startsWith("/v3/chat/message")) {
      return undefined;
    }
    sent.push(Object.fromEntries(body));
    return streamed(events(...chunks).map((event) => event.replaceAll('"m2"', '"m7"')), signal);
  });
  return { service, sent };
}

/** A chat that shows these messages; its first question was sent from here. */
const shown = (messages = stored) => new Chat({ messages: [user, ...toUIMessages({ messages }).slice(1)] });

for (const [name, act, edits, shows] of [
  ["that was sent from here", (chat) => chat.sendMessage({ text: "ho", messageId: "ui-1" }), "m1", ["user ui-1 ho", "assistant m7 c"]],
  ["from the history", (chat) => chat.sendMessage({ text: "less", messageId: "m3" }), "m3", ["user ui-1 hi", "assistant m2 ab", "user m3 less", "assistant m7 c"]],
]) {
  test(`an edit of a question ${name}`, async () => {
    const { service, sent } = forms();
    const chat = shown();
    await act(chat);
    assert.deepEqual([chat.status, chat.error, chat.lines], ["ready", undefined, shows]);
    assert.deepEqual(service.asked, [history, send]);
    const [{ edits: named, parent_id: parent, request_metadata: metadata }] = sent;
    assert.deepEqual([named, parent, JSON.parse(metadata).ui_message_id], [edits, undefined, chat.messages.at(-2).id]);
    assert.ok(service.keys[1].startsWith(`c1/${chat.messages.at(-2).id}/${edits}/`));
  });
}

test("an edit counts once however often it is tried, and each new text counts separately", async () => {
  const keys = [];
  const service = serving(stored, ["c"], ({ path, headers }) => (path === "/v3/chat/message" && keys.push(headers["idempotency-key"]) < 3 ? refusal(429, "RATE_LIMITED", { "retry-after": "61" }) : undefined));
  const chat = shown();
  await chat.sendMessage({ text: "ho", messageId: "ui-1" });
  assert.equal(chat.error.code, "RATE_LIMITED");
  await chat.regenerate(); // as when a user tries again
  await chat.sendMessage();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 ho", "assistant m2 c"]]);
  assert.deepEqual([keys.length, new Set(keys).size], [3, 1]);
  assert.ok(!service.asked.includes(again));
  await shown().sendMessage({ text: "hey", messageId: "ui-1" });
  assert.notEqual(keys[3], keys[0]);
});

test("an edit that had arrived shows its answer", async () => {
  const edited = question({ id: "m5", content: "ho", metadata: { ui_message_id: "ui-1" }, siblings: ["m1", "m5"] });
  const service = serving([edited, reply({ id: "m6", content: "yes", parent_id: "m5" })]);
  const chat = new Chat({ messages: [{ ...user, parts: [{ type: "text", text: "ho" }] }] });
  await chat.sendMessage();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 ho", "assistant m6 yes"]]);
  assert.ok(!service.asked.includes(send));
});

test("an edit keeps the service's images, and new ones replace them", async () => {
  const withImage = [question({ image_urls: ["https://a/i?sig=1"] }), reply()];
  for (const [files, images] of [
    [[{ type: "file", mediaType: "image/*", url: "https://a/i?sig=0" }], undefined],
    [[{ type: "file", mediaType: "image/png", url: "data:image/png;base64,AQ==", filename: "b.png" }], "b.png"],
  ]) {
    const { sent } = forms(withImage);
    const chat = new Chat({ messages: toUIMessages({ messages: withImage }) });
    await chat.sendMessage({ text: "ho", files, messageId: "m1" });
    assert.deepEqual([chat.error, sent[0].edits, sent[0].images?.name], [undefined, "m1", images]);
  }
});

for (const [name, options] of [["by its id", { messageId: "m2" }], ["by the id of its question", { messageId: "ui-1" }]]) {
  test(`regenerate an earlier answer ${name}`, async () => {
    const sent = [];
    const service = serving(stored, [], ({ path, body, signal }) => {
      if (path.endsWith("/regenerate")) {
        sent.push(JSON.parse(body));
        return streamed(events("c").map((event) => event.replaceAll('"m2"', '"m7"')), signal);
      }
      return undefined;
    });
    const chat = shown();
    const ids = [];
    const regenerated = chat.regenerate(options);
    while (chat.status !== "ready" || ids.length === 0) {
      ids.push(chat.lastMessage.id);
      await new Promise(setImmediate);
    }
    await regenerated;
    assert.deepEqual([chat.error, chat.lines], [undefined, ["user ui-1 hi", "assistant m7 c"]]);
    assert.ok(!ids.includes("m2"), "it has its own id from the start");
    assert.deepEqual([service.asked, sent[0].message_id], [[history, again], "m2"]);
  });
}

test("an answer is found on its branch after another tab has changed the path", async () => {
  const path = [question({ id: "m8", content: "other", metadata: { ui_message_id: "ui-1" }, siblings: ["m1", "m8"] }), reply({ id: "m9", parent_id: "m8" })];
  const branches = [...stored, ...path, reply({ id: "m10", parent_id: "m1", content: "newer" })];
  const sent = [];
  const service = new FakeService(({ path: where, body, signal }) => {
    if (where.startsWith("/project/")) {
      return Response.json({ messages: where.endsWith("=all") ? branches : path });
    }
    sent.push(typeof body === "string" ? JSON.parse(body) : Object.fromEntries(body));
    return streamed(wire(["chunk", { text: "c" }], ["complete"]), signal);
  });
  const chat = shown();
  await chat.regenerate({ messageId: "m2" });
  assert.deepEqual([chat.error, chat.lines], [undefined, ["user ui-1 hi", "assistant m2 c"]]);
  assert.deepEqual([service.asked, sent[0].message_id], [[history, all, again], "m10"]);
  await chat.sendMessage({ text: "hey", messageId: "ui-1" });
  assert.equal(sent[1].edits, "m8", "any version names the place");
});

test("a question follows the answer that is shown", async () => {
  const { sent } = forms();
  const chat = shown(stored.slice(0, 2));
  await chat.sendMessage({ text: "and" });
  await chat.sendMessage({ text: "then" });
  assert.deepEqual(sent.map(({ parent_id: parent }) => parent), ["m2", "m7"]);
  const greeted = new Chat({ messages: [{ id: "hello", role: "assistant", parts: [{ type: "text", text: "Welcome" }] }] });
  await greeted.sendMessage({ text: "and" });
  assert.equal(sent[2].parent_id, undefined, "the service knows nothing of a message that it did not write");
});

for (const name of ["edits", "parentId"]) {
  test(`refused: ${name} in the body`, async () => {
    const { service } = forms();
    const chat = shown();
    await chat.sendMessage({ text: "and" }, { body: { [name]: "m1" } });
    assert.match(chat.error.message, new RegExp(`body has ${name}, which useChat and the message set`));
    assert.ok(!service.asked.includes(send));
  });
}

test("resumeStream() follows an answer that is no longer on the path", async () => {
  const running = reply({ content: "a", finish_reason: undefined, stream_id: "s1" });
  let reads = 0;
  const service = serving(() => (++reads === 1 ? [question(), running] : [question({ id: "m8" }), reply({ id: "m9" }), running]));
  const chat = new Chat({ messages: toUIMessages({ messages: [question(), running] }) });
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user m1 hi", "assistant m2 ab"]]);
  assert.deepEqual(service.asked, [history, message, follow]);
});

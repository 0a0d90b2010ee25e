// A question that could not be sent stays among the messages of the AI SDK's own chat, whatever is done next.
import assert from "node:assert/strict";
import { test } from "node:test";

import { unsentMessages } from "../../dist/ai-sdk.mjs";
import { again, Chat, question, readOf, reply, send } from "./ai-chat.mjs";
import { events, FakeService, refusal, streamed } from "./fake-fetch.mjs";

test("a question that could not be sent is found before the next one, and sent again behind it", async () => {
  let isAway = false;
  const service = new FakeService(({ signal, n }) => (isAway
    ? refusal(503, "UNAVAILABLE")
    : streamed(events("a").map((event) => event.replaceAll('"m2"', `"m${n}"`)), signal)));
  const chat = new Chat();
  await chat.sendMessage({ text: "one" });
  isAway = true;
  await chat.sendMessage({ text: "two" });
  assert.equal(chat.status, "error");
  const texts = () => unsentMessages(chat.messages, chat.status).map(({ parts }) => parts[0].text);
  assert.deepEqual(texts(), ["two"]);
  isAway = false;
  await chat.sendMessage({ text: "three" });
  assert.deepEqual(texts(), ["two"]);
  const [two] = unsentMessages(chat.messages, chat.status);
  chat.messages = chat.messages.filter(({ id }) => id !== two.id); // as setMessages does
  await chat.sendMessage(two);
  assert.deepEqual(texts(), []);
  assert.deepEqual(chat.lines.filter((line) => line.startsWith("user")).map((line) => line.split(" ").at(-1)), ["one", "three", "two"]);
  assert.ok(service.keys.filter((key) => key === `c1/${two.id}`).length >= 2, "each time with the same key");
});

test("questions of the history count as sent", () => {
  const known = { id: "m1", role: "user", parts: [], metadata: { message_id: "m1" } };
  assert.deepEqual(unsentMessages([known, { ...known, id: "m2" }], "error"), []);
});

/**
 * A chat with a service that keeps what it is sent. The question "one" and its answer m2 are there; "lost" could not be sent. `forms` has
 * the questions since, with what they follow, and `bodies` what was asked to be written again.
 */
async function withLost() {
  const stored = [];
  const service = { isAway: false, forms: [], bodies: [] };
  new FakeService(async ({ path, method, body, signal }) => {
    const read = method === "GET" && readOf(stored, path);
    if (read) {
      return read;
    }
    if (service.isAway) {
      return refusal(503, "UNAVAILABLE");
    }
    const id = `m${stored.length + 2}`;
    if (path === again.split(" ")[1]) {
      service.bodies.push(JSON.parse(body).message_id);
    } else {
      assert.equal(`POST ${path}`, send);
      const [content, parent] = [body.get("message"), body.get("parent_id") ?? undefined];
      service.forms.push([content, parent]);
      stored.push(question({ id: `m${stored.length + 1}`, content, metadata: JSON.parse(body.get("request_metadata")) }));
    }
    stored.push(reply({ id }));
    return streamed(events("a", "b").map((event) => event.replaceAll('"m2"', `"${id}"`)), signal);
  });
  const chat = new Chat();
  await chat.sendMessage({ text: "one" });
  service.isAway = true;
  await chat.sendMessage({ text: "lost" });
  service.isAway = false;
  service.forms = [];
  return { chat, service };
}

const shown = (chat) => chat.messages.map(({ role, parts }) => (role === "user" ? parts[0].text : "answer"));
const lost = (chat) => unsentMessages(chat.messages, chat.status).map(({ parts }) => parts[0].text);

test("regenerate() with an unsent question before the last one writes the last answer again, and drops nothing", async () => {
  const { chat, service } = await withLost();
  await chat.sendMessage({ text: "three" });
  const last = chat.messages.at(-1).metadata.message_id;
  await chat.regenerate();
  assert.equal(chat.error, undefined);
  assert.deepEqual(service.bodies, [last]);
  assert.deepEqual(service.forms, [["three", "m2"]], "neither question is sent again");
  assert.deepEqual(shown(chat), ["one", "answer", "lost", "three", "answer"]);
  assert.deepEqual(lost(chat), ["lost"]);
});

test("regenerate() sends a last question that the service does not have behind the last answer, and drops no other", async () => {
  const { chat, service } = await withLost();
  service.isAway = true;
  await chat.sendMessage({ text: "three" });
  assert.deepEqual(lost(chat), ["lost", "three"]);
  await chat.regenerate();
  assert.deepEqual([chat.status, shown(chat)], ["error", ["one", "answer", "lost", "three"]]);
  service.isAway = false;
  await chat.regenerate();
  assert.equal(chat.error, undefined);
  assert.deepEqual([service.forms, service.bodies], [[["three", "m2"]], []]);
  assert.deepEqual(shown(chat), ["one", "answer", "lost", "three", "answer"]);
  assert.deepEqual(lost(chat), ["lost"]);
});

// An answer whose worker dies at any event: nothing is given twice, and nothing is lost.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { crc32 } from "node:zlib";

import { noticed } from "./thread-worker.mjs";

const { ChatSDK } = await import("../../dist/chatsdk.mjs");

const call = (status, id = "t1") => ["tool_call", {
  id, chat_id: "c1", message_id: "m2", name: "look", kind: "server", at: 0, approval: "none", arguments: "{}", status,
}];
const content = "one two three four";
const message = {
  id: "m2", chat_id: "c1", role: "assistant", content, created_at: 1, finish_reason: "stop", tool_calls: [call("done")[1], call("denied", "t2")[1]],
};
const complete = (chunks) => ["complete", { message, chunks, bytes: content.length, crc32: crc32(content).toString(16).padStart(8, "0") }];
const start = (stream) => ["start", { stream_id: stream, chat_id: "c1", message_id: "m2", user_message_id: "m1" }];

/** The events as they were stored. A call may be approved and run twice, if its first claim was lost. */
const log = [
  start("s1"), ["reasoning", { text: "Let me " }], ["reasoning", { text: "see." }], ["document_chunk", { text: "looking " }], ["document_chunk",
    { text: "it up" }], ["document_chunk", { text: "looking " }],
  ["chunk", { text: "one " }], call("approved"), call("running"), ["chunk", { text: "two " }], call("approved"), call("running"),
  call("denied", "t2"), ["message_object", { note: "a" }], ["message_object", { note: "a" }], call("done"),
  ["chunk", { text: "three" }], ["chunk", { text: " four" }], ["chat_name", { name: "n" }], complete(4), ["end", {}],
];
/** What the service tells once the events are gone: see retell in service/internal/chat/repeat.go. */
const told = [start("s2"), ["reasoning", { text: "Let me see." }], ["chunk", { text: content }], call("done"), call("denied", "t2"), complete(1), ["end", {}]];

const wire = (events, from = 0) => events.map(([name, data], i) => `id: ${i + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`).slice(from).join("");

/** What answers a request for a stream: the events that it writes, whether it goes on to be silent, and the requests so far. */
let answer;
let asked;
const server = createServer((request, response) => {
  const path = request.url;
  asked.push(`${request.method} ${path}`);
  request.resume();
  if (!/stream|\/v3\/chat\/message$/.test(path)) {
    const running = { ...message, finish_reason: undefined, stream_id: asked.length === 1 ? "s1" : undefined };
    const body = path.endsWith("/message/m2") ? message : { messages: [running], has_more: false };
    response.setHeader("content-type", "application/json").end(JSON.stringify(body));
    return;
  }
  const [status, text, isOpen] = answer(Number(request.headers["last-event-id"] ?? 0));
  response.writeHead(status, { "content-type": status === 200 ? "text/event-stream" : "application/json" });
  response.write(text);
  isOpen || response.end();
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const baseUrl = `http://127.0.0.1:${server.address().port}`;

/** What the callbacks got, with the text of the answer in one piece where it came in several. */
function heard() {
  const list = [];
  const hear = (name, of = (value) => value) => (value) => list.push([name, of(value)]);
  const join = (name) => (text) => (list.at(-1)?.[0] === name ? (list.at(-1)[1] += text) : list.push([name, text]));
  const callbacks = {
    onStart: hear("start", () => undefined), onChunk: join("chunk"), onReasoning: join("reasoning"),
    onDocumentChunk: hear("document_chunk"), onMessageObject: hear("message_object", JSON.stringify), onChatNameUpdate: hear("chat_name"),
    onToolCall: hear("tool_call", ({ id, status }) => `${id} ${status}`), onComplete: hear("complete", String), onMessageEnd: hear("end"),
    onError: hear("error", String),
  };
  return { list, callbacks };
}

/** What a page gets that reads the answer in one worker. */
function undisturbed() {
  const { list, callbacks } = heard();
  const names = {
    start: "onStart", chunk: "onChunk", reasoning: "onReasoning", document_chunk: "onDocumentChunk", message_object: "onMessageObject", tool_call: "onToolCall",
    chat_name: "onChatNameUpdate", complete: "onComplete", end: "onMessageEnd",
  };
  for (const [name, data] of log) {
    callbacks[names[name]](name === "end" ? undefined : { complete: content, chunk: data.text, reasoning: data.text, document_chunk: data.text,
      chat_name: data.name }[name] ?? data);
  }
  return list;
}

/** Reads the answer by a method. Its worker dies after `most` events; `rest` answers the next worker. Returns what was heard. */
async function dying(most, rest, read) {
  asked = [];
  let first = true;
  answer = (from) => (first ? [200, wire(log.slice(0, most), from), true] : rest(from));
  const { list, callbacks } = heard();
  const seen = new Promise((resolve) => {
    let events = 0;
    globalThis.Worker.passes = (data, worker) => {
      if (data.kind === "events" && first) {
        events += JSON.parse(data.events).reduce((sum, [, ...values]) => sum + values.length, 0);
        if (events >= most) setImmediate(() => resolve(worker)); // after the page has got them
      }
      return true;
    };
  });
  const reading = read(callbacks);
  const worker = await seen;
  first = false;
  worker.die();
  await noticed(worker);
  await reading;
  return list;
}

const sdk = new ChatSDK({ baseUrl, projectId: "p1", accessToken: "t", retryDelay: 0, worker: true });
after(() => sdk.close());

const ways = {
  "a message": (callbacks) => sdk.sendMessageStream("hi", callbacks),
  "an answer that is resumed": (callbacks) => sdk.resumeStream("c1", callbacks),
};

for (const [name, read] of Object.entries(ways)) {
  test(`${name} whose worker dies after any event comes whole, and nothing comes twice`, async () => {
    for (let most = 1; most < log.length; most++) {
      const list = await dying(most, (from) => [200, wire(log, from)], read);
      assert.deepEqual(list, undisturbed(), `after ${most} events`);
    }
  });

  test(`${name} whose events are gone when its worker has died ends whole, and nothing comes twice`, async () => {
    for (let most = 1; most < log.length; most++) {
      const gone = [410, JSON.stringify({ status_code: 410, error: { code: "GONE", message: "gone" } })];
      const list = await dying(most, (from) => (asked.at(-1).startsWith("POST") ? [200, wire(told, from)] : gone), read);
      const count = (kind) => list.filter(([name]) => name === kind);
      assert.equal(count("chunk").map(([, text]) => text).join(""), content, `after ${most} events`);
      if (name === "a message") assert.equal(count("reasoning").map(([, text]) => text).join(""), "Let me see.", `after ${most} events`);
      assert.deepEqual([count("start").length, count("complete"), list.at(-1)], [1, [["complete", content]], ["end", undefined]], `after ${most} events`);
      const states = log.slice(0, most).filter(([kind]) => kind === "tool_call").map(([, { id, status }]) => `${id} ${status}`);
      const last = name === "a message" ? ["t1 done", "t2 denied"].filter((state) => !states.includes(state)) : [];
      assert.deepEqual(count("tool_call").map(([, state]) => state), [...states, ...last], `after ${most} events`);
    }
  });
}

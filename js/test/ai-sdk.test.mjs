// The transport of the built package with the AI SDK's own chat.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { test } from "node:test";

import { ChatSDKTransport, toUIMessages } from "../../dist/ai-sdk.mjs";
import { APIError } from "../../dist/chatsdk.mjs";
import {
  again, asked, Chat, follow, history, message, newSDK, question, readOf, reply, send, serving, stopById, takesBack, wire,
} from "./ai-chat.mjs";
import { events, FakeService, receipt, refusal, silence, streamed, until } from "./fake-fetch.mjs";

const unhandled = [];
process.on("unhandledRejection", (error) => unhandled.push(error));

const user = { id: "ui-1", role: "user", parts: [{ type: "text", text: "hi" }] };
const submit = (fields) => ({ trigger: "submit-message", chatId: "c1", messageId: undefined, messages: [user], abortSignal: undefined, ...fields });

async function chunksOf(stream) {
  const chunks = [];
  for await (const chunk of stream) {
    chunks.push(chunk);
  }
  return chunks;
}

const start = { type: "start", messageId: "m2", messageMetadata: { message_id: "m2" } };
const text = (delta) => [{ type: "text-start", id: "text" }, { type: "text-delta", id: "text", delta }, { type: "text-end", id: "text" }];
const thought = (delta) =>
  [{ type: "reasoning-start", id: "reasoning" }, { type: "reasoning-delta", id: "reasoning", delta }, { type: "reasoning-end", id: "reasoning" }];
const finish = (fields, finishReason = "stop") =>
  ({ type: "finish", finishReason, messageMetadata: { message_id: "m2", chat_id: "c1", created_at: 1, finish_reason: "stop", ...fields } });
const chunk = (piece) => ["chunk", { text: piece }];
const passage = { document_key: "d1", title: "Cats", snippet: "Mimi", score: 0.5, passage_id: "d1_0", start: 3, end: 7 };

for (const [name, list, want] of [
  ["an answer", [chunk("a"), chunk("b"), ["complete"]], [start, ...text("ab"), finish()]],
  ["an answer without text", [["complete"]], [start, finish()]],
  ["an answer with the service's details", [chunk("a"), ["complete", { finish_reason: "length", model_name: "m", memory_ids: ["y"], agent_id: "x", own: 1 }]],
    [start, ...text("a"), finish({ finish_reason: "length", model_name: "m", memory_ids: ["y"], agent_id: "x", own: 1 }, "length")]],
  ["an answer that was stopped elsewhere", [chunk("a"), ["complete", { finish_reason: "stopped" }]],
    [start, ...text("a"), finish({ finish_reason: "stopped" }, "other")]],
  ["a source in a document", [chunk("a"), ["complete", { sources: [passage] }]], [
    start, ...text("a"),
    { type: "source-document", sourceId: "d1_0", mediaType: "text/plain", title: "Cats", providerMetadata: { chatsdk: passage } },
    finish(),
  ]],
  ["a source on the web", [["complete", { sources: [{ title: "T", snippet: "S", url: "https://a/" }] }]], [
    start,
    { type: "source-url", sourceId: "https://a/", url: "https://a/", title: "T", providerMetadata: { chatsdk: { title: "T", snippet: "S", url: "https://a/" } } },
    finish(),
  ]],
  ["images of an answer", [["complete", { image_urls: ["/i?sig=1"] }]], [
    start, { type: "file", mediaType: "image/*", url: "https://api.example.com/i?sig=1" }, finish(),
  ]],
  ["an answer with reasoning", [["reasoning", { text: "Let me " }], ["reasoning", { text: "see." }], chunk("a"), ["reasoning", { text: "\n\nSure." }],
    chunk("b"), ["complete", { reasoning: "Let me see.\n\nSure.", usage: { input_tokens: 2, output_tokens: 1 } }]],
  [start, ...thought("Let me see."), ...text("a"), ...thought("Sure."), ...text("b"), finish({ usage: { input_tokens: 2, output_tokens: 1 } })]],
  ["an answer whose reasoning comes only at its end", [["complete", { reasoning: "Hm." }]], [start, ...thought("Hm."), finish()]],
  ["data beside the text", [["document_chunk", { text: "looking" }], chunk("a"), ["message_object", { n: 1 }], ["chat_name", { name: "Cats" }], ["complete"]], [
    start, { type: "data-document-chunk", data: { text: "looking" }, transient: true },
    ...text("a").slice(0, 2), { type: "data-message-object", data: { n: 1 } }, { type: "data-chat-name", data: { name: "Cats" }, transient: true },
    text("a")[2], finish(),
  ]],
]) {
  test(`chunks of ${name}`, async () => {
    new FakeService(({ signal }) => streamed(wire(...list), signal));
    assert.deepEqual(await chunksOf(await new ChatSDKTransport(newSDK()).sendMessages(submit())), want);
  });
}

test("deltas that wait for their reader are read as one", async () => {
  const service = serving([], Array.from({ length: 100 }, () => "x"));
  const reader = (await new ChatSDKTransport(newSDK()).sendMessages(submit())).getReader();
  assert.deepEqual(service.asked, [], "nothing is sent before somebody reads");
  assert.equal((await reader.read()).value.type, "start");
  assert.equal((await reader.read()).value.type, "text-start");
  let [deltas, all] = [0, ""];
  for (let read; !(read = await reader.read()).done;) {
    if (read.value.type === "text-delta") {
      deltas++;
      all += read.value.delta;
    }
  }
  assert.equal(all, "x".repeat(100));
  assert.ok(deltas < 100, `${deltas} deltas`);
});

test("a message is sent with the id of the chat, and its answer has the service's id", async () => {
  let form;
  const service = serving([], ["a", "b"], ({ body }) => void (form = body));
  const chat = new Chat({ options: { agentId: "x", metadata: { from: "options" } } });
  await chat.sendMessage({ text: "hi", metadata: { tone: "kind" } }, { body: { modelName: "m", metadata: { page: 1 } }, metadata: { from: "request" } });
  assert.deepEqual([chat.status, chat.error, chat.lines], ["ready", undefined, ["user ui-1 hi", "assistant m2 ab"]]);
  assert.deepEqual(service.asked, [send]);
  assert.deepEqual(service.keys, ["c1/ui-1"]);
  const sent = Object.fromEntries(form);
  assert.deepEqual([sent.chat_id, sent.message, sent.agent_id, sent.model_name], ["c1", "hi", "x", "m"]);
  assert.deepEqual(JSON.parse(sent.request_metadata), { page: 1, from: "request", tone: "kind", ui_message_id: "ui-1" });
});

test("transient data reaches only onData", async () => {
  new FakeService(({ signal }) => streamed(wire(["document_chunk", { text: "looking" }], ["message_object", { n: 1 }], ["chat_name", { name: "Cats" }], ["complete"]), signal));
  const heard = [];
  const chat = new Chat({ onData: ({ type, data }) => heard.push([type, data]) });
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual(heard, [["data-document-chunk", { text: "looking" }], ["data-message-object", { n: 1 }], ["data-chat-name", { name: "Cats" }]]);
  assert.deepEqual(chat.lastMessage.parts.map(({ type }) => type), ["data-message-object"]);
});

test("the files of a message are sent as its images", async () => {
  let form;
  serving([], ["a"], ({ body }) => void (form = body));
  const files = [
    { type: "file", mediaType: "image/png", filename: "a.png", url: "data:image/png;base64,AQL/" },
    { type: "file", mediaType: "image/svg+xml", url: "data:image/svg+xml,%3Csvg%2F%3E" },
  ];
  await new Chat().sendMessage({ text: "hi", files });
  const images = form.getAll("images");
  assert.deepEqual(images.map(({ name, type }) => [name, type]), [["a.png", "image/png"], ["image", "image/svg+xml"]]);
  assert.deepEqual([...new Uint8Array(await images[0].arrayBuffer())], [1, 2, 255]);
  assert.equal(await images[1].text(), "<svg/>");
});

const file = (fields) => ({ parts: [{ type: "text", text: "hi" }, { type: "file", mediaType: "image/png", url: "data:,a", filename: "a.png", ...fields }] });
for (const [name, message, request, error] of [
  ["a file that is not an image", file({ mediaType: "text/plain", filename: "a.txt" }), {}, /file a\.txt is text\/plain, want an image; uploadDocument/],
  ["an address that is not a data: address", file({ url: "https://a/a.png" }), {}, /url of file a\.png is not a data: address/],
  ["a part that cannot be sent", { parts: [{ type: "reasoning", text: "hm" }] }, {}, /is reasoning, want text or file/],
  ["a message without text", { parts: [] }, {}, /message is blank/],
  ["an unknown option", { parts: user.parts }, { body: { modelname: "m" } }, /did you mean modelName/],
  ["an option that useChat sets", { parts: user.parts }, { body: { chatId: "c2" } }, /body has chatId/],
  ["headers", { parts: user.parts }, { headers: { a: "b" } }, /accessToken says who/],
]) {
  test(`${name}: an error, and nothing is sent`, async () => {
    const service = serving([]);
    const chat = new Chat();
    await chat.sendMessage(message, request);
    assert.equal(chat.status, "error");
    assert.match(chat.error.message, error);
    assert.ok(chat.error instanceof TypeError);
    assert.deepEqual(service.asked, []);
  });
}

test("a failure is an APIError, and the text so far stays", async () => {
  new FakeService(({ n, signal }) => (n === 0 ? streamed(events("a", "b").slice(0, 3), signal) : refusal(503, "UNAVAILABLE")));
  const told = [];
  const chat = new Chat({ onError: (error) => told.push(error) });
  await chat.sendMessage({ text: "hi" });
  assert.ok(chat.error instanceof APIError);
  assert.deepEqual([chat.status, chat.error.code, chat.error.partial, told[0] === chat.error], ["error", "UNAVAILABLE", "ab", true]);
  assert.deepEqual(chat.lines, ["user ui-1 hi", "assistant m2 ab"]);
  assert.equal(chat.lastMessage.parts[0].state, "done");
});

test("a chat that does not exist: the error says what id has to be", async () => {
  new FakeService(() => refusal(404, "ENTITY_NOT_FOUND"));
  const chat = new Chat({ id: "guess" });
  for (const act of [() => chat.sendMessage({ text: "hi" }), () => chat.resumeStream()]) {
    await act();
    assert.equal(chat.error.code, "ENTITY_NOT_FOUND");
    assert.match(chat.error.advice, /^is guess, the id of useChat, the chat_id of a chat that createChat made\?$/);
  }
});

test("a failure begins with the method of useChat that was called", async () => {
  new FakeService(() => Promise.reject(new TypeError("no network")));
  for (const method of ["sendMessage", "regenerate", "resumeStream"]) {
    const chat = new Chat({ messages: [{ id: "m1", role: "user", parts: [{ type: "text", text: "hi" }] }] });
    await chat[method](method === "sendMessage" ? { text: "ho" } : undefined);
    assert.match(chat.error.message, new RegExp(`^${method}: https://api.example.com could not be reached`));
  }
});

test("the SDK resumes a connection that is cut", async () => {
  const service = new FakeService(({ n, signal, headers }) =>
    streamed(n === 0 ? events("a", "b").slice(0, 2) : events("a", "b").slice(Number(headers["last-event-id"])), signal));
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 ab"]]);
  assert.deepEqual(service.asked, [send, `${follow} 2`]);
});

test("trying again after a failure sends the same message with its key", async () => {
  for (const retry of ["sendMessage", "regenerate"]) {
    let down = true;
    const service = serving([], ["a", "b"], ({ path }) => (down && path.endsWith("/message") ? refusal(429, "RATE_LIMITED", { "retry-after": "61" }) : undefined));
    const chat = new Chat();
    await chat.sendMessage({ text: "hi" });
    assert.equal(chat.error.retryAfter, 61);
    down = false;
    await chat[retry]();
    assert.deepEqual([chat.status, chat.error, chat.lines], ["ready", undefined, ["user ui-1 hi", "assistant m2 ab"]]);
    assert.deepEqual(service.asked, [send, history, send]);
    assert.deepEqual([service.keys[0], service.keys[2]], ["c1/ui-1", "c1/ui-1"]);
  }
});

for (const [name, stored, asks, lines] of [
  ["is whole", reply(), [history, message, history], "assistant m2 ab"],
  ["is being written", reply({ content: "a", finish_reason: undefined, stream_id: "s1" }), [history, message, follow], "assistant m2 ab"],
  ["had failed, and is regenerated", reply({ id: "m9", finish_reason: "error" }), [history, again], "assistant m2 ab"],
]) {
  test(`trying again with a message that had arrived: its answer ${name}`, async () => {
    const service = serving([asked, stored]);
    const chat = new Chat({ messages: [user] });
    await chat.sendMessage();
    assert.deepEqual([service.asked, chat.error, chat.lines], [asks, undefined, ["user ui-1 hi", lines]]);
  });
}

for (const [name, stored, messages, options, old] of [
  ["of this page", [asked, reply()], [user, { ...reply(), parts: [] }], {}, "m2"],
  ["by its id", [asked, reply()], [user, { ...reply(), parts: [] }], { messageId: "m2" }, "m2"],
  ["by the id of its question", [asked, reply()], [user, { ...reply(), parts: [] }], { messageId: "ui-1" }, "m2"],
  ["from the history", [question(), reply()], toUIMessages({ messages: [question(), reply()] }), {}, "m2"],
  ["that failed before its first chunk", [asked, reply({ id: "m9", content: "", finish_reason: "error" })], [user], {}, "m9"],
]) {
  test(`regenerate the last answer ${name}`, async () => {
    let body;
    const service = serving(stored, ["c"], (request) => void (request.path.endsWith("/regenerate") && (body = request.body)));
    const chat = new Chat({ messages });
    await chat.regenerate(options);
    assert.deepEqual([chat.status, chat.error], ["ready", undefined]);
    assert.deepEqual([service.asked, JSON.parse(body).message_id], [[history, again], old]);
    assert.equal(chat.messages.length, 2);
    const { parts, metadata } = chat.lastMessage;
    assert.deepEqual([parts[0].text, metadata.message_id], ["c", "m2"]);
    assert.notEqual(service.keys[1], undefined);
  });
}

test("regenerate first stops an answer that is still being written", async () => {
  let body;
  const service = serving([asked, reply({ stream_id: "s1" })], ["c"], (request) => {
    body = request.path.endsWith("/regenerate") ? JSON.parse(request.body) : body;
    return request.path.endsWith("/stop") ? receipt("a") : undefined;
  });
  await new Chat({ messages: [user] }).regenerate();
  assert.deepEqual([service.asked, body.message_id], [[history, stopById, again], "m2"]);
});

for (const [name, act, error] of [
  ["another model for a regenerated answer", (chat) => chat.regenerate({ messageId: "m4", body: { modelName: "m" } }), /body is given/],
  ["a send without a question", (chat) => chat.sendMessage(), /does not end with a question/],
]) {
  test(`refused: ${name}`, async () => {
    const stored = [asked, reply(), question({ id: "m3", content: "more" }), reply({ id: "m4" })];
    const service = serving(stored);
    const [, ...later] = toUIMessages({ messages: stored });
    const chat = new Chat({ messages: [user, ...later] });
    await act(chat);
    assert.equal(chat.status, "error");
    assert.match(chat.error.message, error);
    assert.deepEqual(service.asked.filter((request) => request !== history), []);
  });
}

test("stop() stops the answer at the service and keeps the text so far", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/stop") ? receipt("ab") : streamed(events("a", "b").slice(0, 2), signal, true)));
  const chat = new Chat();
  const sent = chat.sendMessage({ text: "hi" });
  await until(() => chat.lines[1] === "assistant m2 a");
  await chat.stop();
  await sent;
  await until(() => service.asked.length === 2);
  assert.deepEqual([service.asked, chat.status, chat.error, chat.lines], [[send, stopById], "ready", undefined, ["user ui-1 hi", "assistant m2 a"]]);
});

test("with detachOnAbort, stop() leaves the answer to the service", async () => {
  const service = new FakeService(({ signal }) => streamed(events("a", "b").slice(0, 2), signal, true));
  const chat = new Chat({ options: { detachOnAbort: true } });
  const sent = chat.sendMessage({ text: "hi" });
  await until(() => chat.lines[1] === "assistant m2 a");
  await chat.stop();
  await sent;
  await until(() => service.signals[0].aborted);
  assert.deepEqual(service.asked, [send]);
});

const running = [question(), reply({ content: "a", finish_reason: undefined, stream_id: "s1" })];

test("resumeStream() finds nothing in a chat where no answer is being written", async () => {
  const service = serving([question({ id: "m7" }), reply({ id: "m8" })]);
  const chat = new Chat();
  await chat.resumeStream();
  assert.deepEqual([service.asked, chat.status, chat.messages], [[history], "ready", []]);
});

for (const [name, loaded, lines] of [
  ["that is shown in part", running, ["user m1 hi", "assistant m2 ab"]],
  ["when only its question is shown", running.slice(0, 1), ["user m1 hi", "assistant m2 ab"]],
]) {
  test(`resumeStream() follows an answer ${name}`, async () => {
    const service = serving(running);
    const chat = new Chat({ messages: toUIMessages({ messages: loaded }) });
    await chat.resumeStream();
    assert.deepEqual([chat.status, chat.lines], ["ready", lines]);
    assert.deepEqual(service.asked, [history, message, follow]);
  });
}

test("an answer that was finished before it could be followed comes whole", async () => {
  for (const finishedAt of [1, 2]) {
    let reads = 0;
    const service = serving(() => (++reads >= finishedAt ? [question(), reply()] : running));
    const chat = new Chat({ messages: toUIMessages({ messages: running }) });
    await chat.resumeStream();
    assert.deepEqual([chat.status, chat.lines], ["ready", ["user m1 hi", "assistant m2 ab"]], `finished at read ${finishedAt}`);
    assert.ok(service.asked.every((request) => request === history || request === message));
  }
});

test("two mounts follow an answer once, and neither stops it", async () => {
  const service = serving(running);
  const chat = new Chat({ messages: toUIMessages({ messages: running }) });
  const first = chat.resumeStream();
  const left = chat.stop(); // as when React's StrictMode unmounts a component
  await Promise.all([first, left, chat.resumeStream()]);
  await until(() => chat.status === "ready");
  assert.deepEqual(chat.lines, ["user m1 hi", "assistant m2 ab"]);
  assert.deepEqual(service.asked.filter((request) => request === follow || request === stopById), [follow]);
});

test("a second resumeStream() in mid-answer takes over, and stop() then stops the answer", async () => {
  const service = serving(running, [], ({ path, signal }) => {
    if (path.endsWith("/stop")) {
      return receipt("a");
    }
    return path.startsWith("/project/") ? undefined : streamed(events("a", "b").slice(0, 2), signal, true);
  });
  const chat = new Chat({ messages: toUIMessages({ messages: running.slice(0, 1) }) });
  const first = chat.resumeStream();
  await until(() => chat.lines[1] === "assistant m2 a");
  const second = chat.resumeStream();
  await first;
  await until(() => service.asked.filter((request) => request === follow).length === 2 && chat.status === "streaming");
  assert.ok(!service.asked.includes(stopById));
  await chat.stop();
  await second;
  await until(() => service.asked.includes(stopById));
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user m1 hi", "assistant m2 a"]]);
});

test("a resume that was given up before it found the answer stops nothing", async () => {
  const service = serving(running, [], ({ path }) => (path.endsWith("/all") ? silence() : undefined));
  const chat = new Chat();
  const resumed = chat.resumeStream();
  await until(() => service.asked.length === 1);
  await chat.stop();
  await resumed;
  assert.deepEqual([service.asked, chat.status, chat.error], [[history], "ready", undefined]);
});

test("while resumeStream() looks, only a message that is sent sets the status", async () => {
  let look;
  const service = serving([], [], ({ path, signal }) => {
    if (path.endsWith("/all")) {
      return new Promise((resolve) => (look = () => resolve(Response.json({ messages: running }))));
    }
    return path.endsWith("/stop") ? receipt("a") : streamed(events("a", "b").slice(0, 2), signal, true);
  });
  const chat = new Chat();
  const resumed = chat.resumeStream();
  await until(() => look !== undefined);
  const sent = chat.sendMessage({ text: "hi" });
  await until(() => chat.lines[1] === "assistant m2 a");
  look();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual([chat.status, service.asked], ["streaming", [history, send]]);
  await chat.stop();
  await until(() => service.asked.at(-1) === stopById);
  await Promise.all([resumed, sent]);
  assert.deepEqual([chat.status, chat.error], ["ready", undefined]);
});

test("resumeStream() completes an answer that broke off", async () => {
  let down = true;
  new FakeService(({ path, n, signal }) => {
    if (path.endsWith("/all")) {
      return Response.json({ messages: [asked, reply()] });
    }
    return n === 0 && down ? streamed(events("a", "b").slice(0, 2), signal) : refusal(503, "UNAVAILABLE");
  });
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual([chat.status, chat.lines], ["error", ["user ui-1 hi", "assistant m2 a"]]);
  down = false;
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.error, chat.lines], ["ready", undefined, ["user ui-1 hi", "assistant m2 ab"]]);
});

/** The service's proof belongs to another text than its chunks: the stored message counts. */
function differing(content, chunks, more) {
  return serving([asked, reply({ content })], chunks, (request) => {
    const given = more?.(request);
    if (given !== undefined || request.path.startsWith("/project/") || request.path.endsWith("/stop")) {
      return given;
    }
    const texts = wire(...chunks.map(chunk), ["message_object", { n: 1 }], ["complete"]);
    return streamed(texts.map((one) => one.replace(/"crc32":"[^"]*"/, '"crc32":"00000000"')), request.signal);
  });
}

for (const [name, act, chat] of [
  ["that was sent", (one) => one.sendMessage({ text: "hi" }), () => new Chat()],
  ["that is regenerated", (one) => one.regenerate(), () => new Chat({ messages: [user, { id: "m2", role: "assistant", parts: [] }] })],
  ["that is resumed", (one) => one.resumeStream(), () => new Chat({ messages: toUIMessages({ messages: [question(), reply({ content: "a", finish_reason: undefined, stream_id: "s1" })] }) })],
]) {
  let reads;
  const resumed = ({ path }) => (name.endsWith("resumed") && path.startsWith("/project/") && ++reads < 3 ? readOf(running, path) : undefined);

  test(`an answer ${name} and is shorter than its proof: the rest comes`, async () => {
    reads = 0;
    differing("abc", ["a", "b"], resumed);
    const one = chat();
    await act(one);
    assert.deepEqual([one.status, one.error], ["ready", undefined]);
    assert.deepEqual(one.lastMessage.parts.filter(({ type }) => type === "text").map(({ text }) => text), ["abc"]);
  });

  test(`an answer ${name} and does not match its proof: what was shown is taken back, or an error`, async () => {
    reads = 0;
    const service = differing("right", ["wr", "ong"], resumed);
    const one = chat();
    await act(one);
    if (!takesBack) {
      assert.equal(one.status, "error");
      assert.match(one.error.message, /the text that is shown is not the service's.*; resumeStream\(\) shows the right text/);
      await one.resumeStream();
    }
    assert.deepEqual([one.status, one.error, one.messages.length], ["ready", undefined, 2]);
    assert.deepEqual(one.lastMessage.parts.filter(({ type }) => type === "text").map(({ text }) => text), ["right"]);
    assert.equal(one.lastMessage.metadata.message_id, "m2");
    assert.deepEqual(one.lastMessage.parts.filter(({ type }) => type === "data-message-object").map(({ data }) => data), takesBack ? [{ n: 1 }] : []);
    assert.ok(!service.asked.includes(stopById));
  });
}

test("where a differing text is an error, trying again shows the service's", { skip: takesBack }, async () => {
  const service = differing("right", ["wrong"]);
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 right"]]);
  assert.ok(!service.asked.includes(again));
});

test("regenerate regenerates an answer that was taken back", { skip: !takesBack }, async () => {
  const service = differing("right", ["wrong"]);
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  await chat.regenerate();
  assert.ok(service.asked.includes(again));
});

test("resumeStream() shows an answer's own text when the chat already has another answer", async () => {
  const other = [question({ id: "m3" }), reply({ id: "m4", content: "other", finish_reason: undefined, stream_id: "s2" })];
  let reads = 0;
  new FakeService(({ path, signal }) => {
    if (path.startsWith("/project/")) {
      return path.endsWith("/all") ? readOf(++reads === 1 ? running : [question(), reply(), ...other], path) : refusal(404, "ENTITY_NOT_FOUND");
    }
    return streamed(wire(chunk("other"), ["complete", { id: "m4" }]), signal);
  });
  const chat = new Chat({ messages: toUIMessages({ messages: running }) });
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user m1 hi", "assistant m2 ab"]]);
});

/** A chat with an interrupted answer, and its service. */
async function brokenOff(act, messages, { stored = [asked, reply()], more = () => undefined } = {}) {
  let down = true;
  const service = new FakeService((request) => {
    const { path, signal } = request;
    if (path.startsWith("/project/")) {
      return readOf(typeof stored === "function" ? stored() : stored, path);
    }
    if (down) {
      return path.includes("/stream/") ? refusal(503, "UNAVAILABLE") : streamed(events("a", "b").slice(0, 2), signal);
    }
    return more(request) ?? streamed(events("c"), signal);
  });
  const chat = new Chat({ messages });
  await act(chat);
  assert.equal(chat.status, "error");
  down = false;
  return { chat, service };
}
const sendHi = (chat) => chat.sendMessage({ text: "hi" });

test("trying again after a break in mid-answer does not regenerate an answer that is whole", async () => {
  const { chat, service } = await brokenOff(sendHi);
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.error, chat.lines], ["ready", undefined, ["user ui-1 hi", "assistant m2 ab"]]);
  assert.ok(!service.asked.includes(again));
  await chat.regenerate();
  assert.ok(service.asked.includes(again), "once it was shown whole, regenerate() regenerates");
});

test("trying again after a break in mid-answer follows an answer that is being written", async () => {
  const { chat, service } = await brokenOff(sendHi, [], {
    stored: [asked, reply({ content: "a", finish_reason: undefined, stream_id: "s1" })], more: ({ signal }) => streamed(events("a", "b"), signal),
  });
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 ab"]]);
  assert.ok(!service.asked.includes(again) && !service.asked.includes(stopById));
});

test("trying again after a break in mid-answer regenerates what the service gave up", async () => {
  const { chat, service } = await brokenOff(sendHi, [], { stored: [asked, reply({ finish_reason: "error" })] });
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 c"]]);
  assert.ok(service.asked.includes(again));
});

const regenerated = [user, { id: "m2", role: "assistant", parts: [] }];

test("trying to regenerate again regenerates if the old answer is still there", async () => {
  const { chat, service } = await brokenOff((one) => one.regenerate(), regenerated);
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 c"]]);
  assert.equal(service.asked.filter((one) => one === again).length, 2);
});

test("trying to regenerate again shows the new answer if it was written", async () => {
  let reads = 0;
  const stored = () => [asked, ++reads === 1 ? reply() : reply({ id: "m5", content: "new" })];
  const { chat, service } = await brokenOff((one) => one.regenerate(), regenerated, { stored });
  await chat.regenerate();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m5 new"]]);
  assert.equal(service.asked.filter((one) => one === again).length, 1);
});

test("resumeStream() completes an answer that broke off while it was regenerated", async () => {
  let reads = 0;
  const stored = () => [asked, ++reads === 1 ? reply() : reply({ id: "m5", content: "new" })];
  const { chat } = await brokenOff((one) => one.regenerate(), regenerated, { stored });
  await chat.resumeStream();
  assert.deepEqual([chat.status, chat.lines], ["ready", ["user ui-1 hi", "assistant m2 new"]]);
  assert.equal(chat.lastMessage.metadata.message_id, "m5");
});

test("regenerate after stop() regenerates", async () => {
  const service = serving([asked, reply({ content: "a", finish_reason: "stopped" })], [], ({ path, signal }) =>
    (path.endsWith("/stop") ? receipt("a") : path.endsWith("/message") ? streamed(events("a", "b").slice(0, 2), signal, true) : undefined));
  const chat = new Chat();
  const sent = chat.sendMessage({ text: "hi" });
  await until(() => chat.lines[1] === "assistant m2 a");
  await chat.stop();
  await sent;
  await chat.regenerate();
  assert.ok(service.asked.includes(again));
});

test("a resume that was overtaken and aborted while it looked ends", async () => {
  let look;
  const sdk = { getChatHistory: () => new Promise((resolve) => (look = () => resolve({ messages: [] }))) };
  const transport = new ChatSDKTransport(sdk);
  const controller = new AbortController();
  const resumed = transport.reconnectToStream({ chatId: "c1", abortSignal: controller.signal });
  look();
  await transport.sendMessages(submit());
  controller.abort();
  await assert.rejects(resumed, { name: "AbortError" });
});

test("a resume that was overtaken and then fails waits until it is aborted: the status belongs to the message", async () => {
  let fail;
  const sdk = { getChatHistory: () => new Promise((_, reject) => (fail = () => reject(new TypeError("offline")))) };
  const transport = new ChatSDKTransport(sdk);
  const controller = new AbortController();
  const resumed = transport.reconnectToStream({ chatId: "c1", abortSignal: controller.signal });
  await transport.sendMessages(submit());
  fail();
  const settled = resumed.then(() => "ended", () => "failed");
  assert.equal(await Promise.race([settled, new Promise((resolve) => setImmediate(resolve, "waits"))]), "waits");
  controller.abort();
  await assert.rejects(resumed, { name: "AbortError" });
});

test("an SDK that is closed is an error, not a stop", async () => {
  const closed = (name) => new DOMException("the ChatSDK was closed", name);
  for (const name of ["AbortError", "InvalidStateError"]) {
    const sdk = {
      getChatHistory: () => Promise.reject(closed(name)),
      async *stream() {
        yield { type: "start", chat_id: "c1", message_id: "m2", user_message_id: "m1", stream_id: "s1" };
        yield { type: "chunk", text: "a" };
        throw closed(name);
      },
    };
    for (const act of [sendHi, (chat) => chat.resumeStream()]) {
      const chat = new Chat({ sdk });
      await act(chat);
      assert.deepEqual([chat.status, chat.error.message], ["error", "the ChatSDK was closed"]);
    }
  }
});

test("a server keeps nothing of what it renders or of the chats that it resumes", () => {
  const program = `
    const { ChatSDKTransport, toUIMessages } = await import(process.argv[1]);
    const of = (i) => [{ id: "q" + i, chat_id: "c" + i, role: "user", content: "" }, { id: "a" + i, chat_id: "c" + i, role: "assistant", content: "", stream_id: "s" }];
    const transport = new ChatSDKTransport({ getChatHistory: async () => ({ messages: [] }) });
    const round = async (from) => {
      for (let i = from; i < from + 50_000; i++) {
        toUIMessages({ messages: of(i) });
        await transport.reconnectToStream({ chatId: "c" + i });
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = await round(0);
    console.log(await round(50_000) - before);
  `;
  const output = execFileSync(process.execPath, ["--expose-gc", "--input-type=module", "-e", program, new URL("../../dist/ai-sdk.mjs", import.meta.url).href], { encoding: "utf8" });
  assert.ok(Number(output) < 1_000_000, `50,000 chats keep ${output.trim()} bytes`);
});

test("toUIMessages has what the service reports", () => {
  const messages = [
    question({ chat_id: "c1", created_at: 1, metadata: { tone: "kind", ui_message_id: "ui-1" }, image_urls: ["https://a/i"] }),
    reply({ sources: [passage], memory_ids: ["y"] }),
  ];
  const before = structuredClone(messages);
  assert.deepEqual(toUIMessages({ messages }), [
    {
      id: "m1", role: "user", parts: [{ type: "text", text: "hi" }, { type: "file", mediaType: "image/*", url: "https://a/i" }],
      metadata: { tone: "kind", ui_message_id: "ui-1", message_id: "m1", chat_id: "c1", created_at: 1, metadata: { tone: "kind", ui_message_id: "ui-1" } },
    },
    {
      id: "m2", role: "assistant",
      parts: [{ type: "text", text: "ab" }, { type: "source-document", sourceId: "d1_0", mediaType: "text/plain", title: "Cats", providerMetadata: { chatsdk: passage } }],
      metadata: { message_id: "m2", chat_id: "c1", created_at: 1, finish_reason: "stop", memory_ids: ["y"] },
    },
  ]);
  assert.deepEqual(messages, before);
});

test("no rejection was left unhandled", async () => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.deepEqual(unhandled, []);
});

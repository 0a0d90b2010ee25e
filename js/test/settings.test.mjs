// Settings and options that an object has from its class: getters, methods and what it inherits.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, streamed } from "./fake-fetch.mjs";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", maxRetries: 0 };
const list = () => Response.json({ chats: [], tool_calls: [], has_more: false });

/** The headers of a call with these settings. */
async function headersWith(settings) {
  let seen;
  new FakeService(({ headers }) => {
    seen = headers;
    return list();
  });
  const sdk = new ChatSDK(settings);
  await sdk.listChats();
  sdk.close();
  return seen;
}

test("settings may be getters and methods of a class", async () => {
  class Settings {
    baseUrl = "https://api.example.com";
    projectId = "p1";
    #token = "from a getter";
    get accessToken() { return this.#token; }
    get unrelated() { throw new Error("read without need"); }
    help() {}
  }
  assert.equal((await headersWith(new Settings())).authorization, "Bearer from a getter");
  class Asking {
    #token = "from a method";
    get baseUrl() { return "https://api.example.com"; }
    get projectId() { return "p1"; }
    async accessToken() { return this.#token; }
  }
  assert.equal((await headersWith(new Asking())).authorization, "Bearer from a method");
  class Derived extends Asking {}
  assert.equal((await headersWith(new Derived())).authorization, "Bearer from a method");
  assert.equal((await headersWith(Object.create(config))).authorization, "Bearer token-1");
  const hidden = Object.defineProperty({ ...config, accessToken: undefined }, "accessToken", { value: "hidden", enumerable: false });
  assert.equal((await headersWith(hidden)).authorization, "Bearer hidden");
});

test("each setting is read once, and a wrong one that is inherited is refused", async () => {
  let reads = 0;
  await headersWith({ ...config, get accessToken() { reads += 1; return "token-1"; } });
  assert.equal(reads, 1);
  assert.throws(() => new ChatSDK(Object.create({ ...config, timeout: -1 })), /^TypeError: ChatSDK: timeout is -1/);
  assert.throws(() => new ChatSDK({ ...config, acessToken: "x" }), /acessToken is unknown/);
});

test("options may be getters and inherited", async () => {
  const sdk = new ChatSDK(config);
  class Filter {
    get status() { return "awaiting"; }
    get limit() { return 5; }
    get unrelated() { throw new Error("read without need"); }
    constructor() { this.chatId = "c1"; }
    toText() {}
  }
  for (const filter of [new Filter(), Object.create({ status: "awaiting", limit: 5, chatId: "c1" }), new Proxy(new Filter(), {})]) {
    const service = new FakeService(list);
    await sdk.listToolCalls(filter);
    assert.deepEqual(service.asked, ["GET /tool-calls?status=awaiting&chat_id=c1&limit=5"]);
  }
  const { signal } = new class { get signal() { return AbortSignal.abort(); } }();
  await assert.rejects(sdk.listChats(undefined, undefined, Object.create({ signal })), { name: "AbortError" });
  await assert.rejects(sdk.deleteChat("c1", Object.create({ chatId: "c2" })), /chatId is not an option/);
});

test("callbacks may be methods of a class, with their this", async () => {
  class View {
    text = undefined;
    #all = "";
    get chatId() { return "c1"; }
    onChunk(part) { this.#all += part; }
    get all() { return this.#all; }
  }
  const sdk = new ChatSDK(config);
  new FakeService(({ signal }) => streamed(events("one ", "two"), signal));
  const view = new View();
  await sdk.sendMessageStream("hi", view);
  assert.equal(view.all, "one two");
  await assert.rejects(sdk.stream("hi", view).result, /onChunk is unknown; read the events/);
});

test("options of stream() that are no object reject, and do not throw", async () => {
  const sdk = new ChatSDK(config);
  for (const options of [[], () => {}, 5, "x", new Date()]) {
    await assert.rejects(sdk.stream("hi", options).result, { name: "TypeError", message: /^stream: the options are an? / });
  }
});

test("errors of stream() begin with its name, also in their stack and in the console", async (t) => {
  const warn = t.mock.method(console, "warn", () => {});
  const sdk = new ChatSDK(config);
  new FakeService(() => Promise.reject(new TypeError("no network")));
  for (const [stream, message] of [
    [() => sdk.stream(""), /^stream: message is blank/], [() => sdk.stream("hi", { chatid: "c1" }), /^stream: chatid is unknown/],
    [() => sdk.stream("hi", { metadata: { a: 1n } }), /^stream: metadata.a cannot be sent/], [() => sdk.stream("hi"), /^stream: https:.* could not be reached/],
  ]) {
    await assert.rejects(stream().result, (error) => message.test(error.message) && !error.stack.includes("sendMessageStream:"));
  }
  await assert.rejects(sdk.sendMessageStream("hi"), { message: /^sendMessageStream: https:/ });
  assert.doesNotMatch(warn.mock.calls.join(), /sendMessageStream/);
});

test("a tool may be an object of a class", async () => {
  class Weather {
    get description() { return "the weather"; }
    get parameters() { return { type: "object" }; }
    run() { return "sun"; }
  }
  let sent;
  new FakeService(({ body, signal }) => {
    sent = JSON.parse(body.get("page_tools"));
    return streamed(events("one"), signal);
  });
  await new ChatSDK({ ...config, tools: { weather: new Weather() } }).sendMessageStream("hi", { chatId: "c1" });
  assert.deepEqual(sent, { weather: { description: "the weather", parameters: { type: "object" } } });
});

test("the names of options are those of the types", () => {
  const source = (name) => readFileSync(new URL(`../src/${name}.ts`, import.meta.url), "utf8");
  const [, known] = /const optionNames = \(([^)]*)\)/.exec(source("arguments"));
  const listed = known.replaceAll(/[^\w ]/g, "").trim().split(/ +/);
  const typed = new Set(["streamId", "status"]); // of stop, whose type has no name
  for (const name of ["options", "memories", "tools"]) {
    for (const [, of, body] of source(name).matchAll(/^export interface (\w+Options)\b.*?\{\n(.*?)\n\}/gms)) {
      for (const [, field] of of === "CoreOptions" || of === "ConnectionOptions" ? [] : body.matchAll(/^ {2}(\w+)\??:/gm)) {
        typed.add(field);
      }
    }
  }
  assert.deepEqual([...listed].sort(), [...typed].sort());
  assert.deepEqual(listed, [...new Set(listed)].sort());
});

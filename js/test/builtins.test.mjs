// Pages whose built-ins were replaced, before or after our script: by old libraries, polyfills, or a variable of the same name.
import assert from "node:assert/strict";
import { test } from "node:test";

const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: async () => "token-1", maxRetries: 0 };
const encoder = new TextEncoder();

/** Responses without the platform's Response, which uses the built-ins itself. */
function respond(type, text) {
  const bytes = encoder.encode(text);
  let read = false;
  return {
    ok: true, status: 200, headers: new Headers({ "content-type": type, "x-request-id": "r-1" }),
    arrayBuffer: async () => bytes.slice().buffer,
    clone() { return { arrayBuffer: async () => bytes.slice().buffer }; },
    body: {
      getReader: () => ({
        read: async () => ({ done: read, value: read ? undefined : ((read = true), bytes) }),
        cancel: async () => {}, releaseLock() {},
      }),
      cancel: async () => {},
    },
  };
}

const stream = [
  ["start", { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" }], ["chunk", { text: "one" }],
  ["complete", {
    message: { id: "m2", chat_id: "c1", role: "assistant", content: "one", created_at: 1, finish_reason: "stop" }, chunks: 1, bytes: 3, crc32: "7a6c86f1",
  }],
  ["end", {}],
].map(([name, data], i) => `id: ${i + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join("");
const history = JSON.stringify({ id: "c1", chat_id: "c1", name: "n", created_at: 1, messages: [{ id: "m1", role: "user", content: "hi" }], has_more: false });

/** What a page does with the SDK: each kind of call, with lists among the arguments and the settings. */
async function uses({ ChatSDK }) {
  const sent = [];
  globalThis.fetch = async (url, { body }) => {
    sent.push(body);
    return url.endsWith("/all") ? respond("application/json", history)
      : url.includes("/chat/create") ? respond("application/json", '{"chat_id":"c1"}')
      : url.includes("/message") ? respond("text/event-stream", stream)
      : respond("application/json", '{"chats":[{"chat_id":"c1"}],"has_more":false}');
  };
  const tools = { look: { description: "Looks.", parameters: { type: "object", required: ["at"] }, run: () => [1] } };
  const sdk = new ChatSDK({ ...config, tools });
  const chats = [];
  for await (const chat of sdk.allChats()) {
    chats.push(chat.chat_id);
  }
  await sdk.createChat("n", ["d1", "d2"], { metadata: { tags: ["a", ["b"]] } });
  const { messages } = await sdk.getChatHistory("c1");
  const texts = [];
  const images = [new Blob(["x"], { type: "image/png" })];
  await sdk.sendMessageStream("hi", { chatId: "c1", documentKeys: ["d1"], images, onChunk: (text) => texts.push(text) });
  for await (const event of sdk.stream("hi", { chatId: "c1" })) {
    texts.push(event.type);
  }
  let refusal;
  try {
    new ChatSDK({ ...config, baseUrl: "https://api.example.com:99999999" });
  } catch (error) {
    refusal = error.message;
  }
  sdk.close();
  return { chats, created: sent[1], history: messages.length, texts, tools: sent[3].get("page_tools"), keys: sent[3].get("document_keys"), refusal };
}

const broken = () => { throw new Error("not the platform's"); };
const replacements = {
  // Prototype 1.7: it knows no iterables and no mapping.
  "Array.from": [Array, "from", (list) => (list ? Array.prototype.slice.call({ length: list.length || 0 }) : [])],
  "Array.prototype.toJSON": [Array.prototype, "toJSON", function () { return `[${this.map((item) => JSON.stringify(item)).join(", ")}]`; }],
  "Array.prototype.toJSON that gives nothing": [Array.prototype, "toJSON", () => undefined],
  // Prototype 1.7 binds only what it gets arguments for.
  "Function.prototype.bind": [Function.prototype, "bind", function () { return this; }],
  "a Promise without finally": [globalThis, "Promise", class Thenable { then() {} }],
  "a Promise that throws": [globalThis, "Promise", broken],
  "no Promise": [globalThis, "Promise", undefined],
  "a URL that throws": [globalThis, "URL", broken],
  "a URL that is a text": [globalThis, "URL", "https://site.example/"],
  "a URL without an address": [globalThis, "URL", class { toString() { return ""; } }],
};

/** Replaces a built-in while something runs. */
async function replaced([object, name, value], work) {
  const before = Object.getOwnPropertyDescriptor(object, name);
  Object.defineProperty(object, name, { value, configurable: true, writable: true, enumerable: false });
  try {
    return await work();
  } finally {
    if (before) Object.defineProperty(object, name, before);
    else delete object[name];
  }
}

let copies = 0;
const script = () => import(`../../dist/chatsdk.mjs?copy=${(copies += 1)}`);
const wanted = await uses(await script());

test("without replacements the calls have their answers", () => {
  const { created, refusal, tools, ...rest } = wanted;
  assert.deepEqual(rest, { chats: ["c1"], history: 1, texts: ["one", "start", "chunk", "complete", "end"], keys: '["d1"]' });
  assert.deepEqual(JSON.parse(created), { project_id: "p1", name: "n", document_keys: ["d1", "d2"], metadata: { tags: ["a", ["b"]] } });
  assert.match(refusal, /baseUrl is not an address/);
  assert.deepEqual(JSON.parse(tools).look.parameters, { type: "object", required: ["at"] });
});

for (const [name, replacement] of Object.entries(replacements)) {
  test(`with ${name} from before the script`, async () => {
    assert.deepEqual(await replaced(replacement, async () => uses(await script())), wanted);
  });

  test(`with ${name} from after the script, and again after the first call`, async () => {
    const module = await script();
    assert.deepEqual(await replaced(replacement, () => uses(module)), wanted);
    assert.deepEqual(await uses(module), wanted);
    assert.deepEqual(await replaced(replacement, () => uses(module)), wanted);
  });
}

test("an address without an origin, as Turbopack makes it, is asked for as it is", async () => {
  const asked = [];
  await replaced([globalThis, "URL", class { href = "/_next/static/chatsdk.1a2b.wasm"; }], async () => {
    globalThis.fetch = async (url) => {
      asked.push(url);
      throw new TypeError("no network");
    };
    const { ChatSDK } = await script();
    await assert.rejects(new ChatSDK(config).listChats(), { code: "NETWORK" });
  });
  assert.deepEqual(asked, ["/_next/static/chatsdk.1a2b.wasm"]);
});

// What the page of the benchmarks does with each client: an answer is read to
// its end, its text joined and its pieces counted, and nothing is shown.
import { AbstractChat, DefaultChatTransport } from "ai";
import Anthropic from "@anthropic-ai/sdk";
import { createParser } from "eventsource-parser";
import OpenAI from "openai";

import { ChatSDK } from "/dist/chatsdk.mjs";

const question = [{ role: "user", content: "Say many words." }];
const message = { model: "scripted", max_tokens: 100, messages: question };
const inPage = { apiKey: "token", dangerouslyAllowBrowser: true };
const config = (baseUrl) => ({ baseUrl, projectId: "demo", accessToken: "token" });

/** The chat of the AI SDK without a framework around it. */
class Chat extends AbstractChat {
  constructor(api, changed) {
    const messages = [];
    super({
      transport: new DefaultChatTransport({ api }),
      state: {
        status: "ready", error: undefined, messages,
        pushMessage: (message) => { messages.push(message); changed(message); },
        popMessage: () => messages.pop(),
        replaceMessage: (index, message) => { messages[index] = message; changed(message); },
        snapshot: (value) => structuredClone(value),
      },
    });
  }
}

/** Reads an answer by callbacks. */
async function send(sdk, add) {
  let complete = false;
  await sdk.sendMessageStream(question[0].content, { onChunk: add, onComplete: () => { complete = true; } });
  if (!complete) throw new Error("onComplete was not called");
}

/** Each reads an answer and passes its pieces to `add`, empty ones too. */
const readers = {
  chatsdk: (baseURL, add) => send(new ChatSDK(config(baseURL)), add),
  "chatsdk worker": (baseURL, add) => send(new ChatSDK({ ...config(baseURL), worker: true }), add),
  async "chatsdk stream"(baseURL, add) {
    for await (const event of new ChatSDK(config(baseURL)).stream(question[0].content)) {
      if (event.type === "chunk") add(event.text);
    }
  },
  async parser(baseURL, add) {
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const value = JSON.parse(data);
        if (event === "chunk") add(value.text);
      },
    });
    const headers = { "authorization": "Bearer token", "content-type": "application/json" };
    const response = await fetch(`${baseURL}/send`, { method: "POST", headers, body: JSON.stringify(message), cache: "no-store" });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parser.feed(decoder.decode(part.value, { stream: true }));
    }
  },
  async fetch(baseURL) {
    const response = await fetch(`${baseURL}/send`, { method: "POST", cache: "no-store" });
    for (const reader = response.body.getReader(); !(await reader.read()).done;);
  },
  async openai(baseURL, add) {
    for await (const chunk of await new OpenAI({ baseURL: `${baseURL}/v1`, ...inPage }).chat.completions.create({ ...message, stream: true })) {
      add(chunk.choices[0]?.delta?.content ?? "");
    }
  },
  async anthropic(baseURL, add) {
    for await (const event of await new Anthropic({ baseURL, ...inPage }).messages.create({ ...message, stream: true })) {
      if (event.type === "content_block_delta") add(event.delta.text);
    }
  },
  // It has no pieces: each change of the message brings the whole text so far.
  async ai(baseURL, add) {
    let length = 0;
    const chat = new Chat(`${baseURL}/api/chat`, ({ role, parts }) => {
      const text = role === "assistant" ? parts.at(-1)?.text ?? "" : "";
      if (text.length > length) add(text.slice(length));
      length = text.length;
    });
    await chat.sendMessage({ text: question[0].content });
    if (chat.error) throw chat.error;
  },
};

/** Each lists the chats once. */
const listers = {
  chatsdk(baseURL, { call }) {
    const sdk = new ChatSDK(config(baseURL));
    return () => call(sdk);
  },
  fetch(baseURL, { path }) {
    const init = { headers: { authorization: "Bearer token" }, credentials: "omit", cache: "no-store" };
    return async () => {
      const response = await fetch(`${baseURL}/project/demo/${path}`, init);
      return response.json();
    };
  },
};

/** What the calls read: the address below the project, the method of the SDK, and the list of its answer. */
const reads = {
  chats: { path: "chat?limit=100", call: (sdk) => sdk.listChats(undefined, 100) },
  messages: { path: "chat/c1/all?limit=1000", call: (sdk) => sdk.getChatHistory("c1", { limit: 1000 }) },
};

/** The longest task of the page while work runs, in ms; 0 if none takes 50. */
async function longestTask(work) {
  let longest = 0;
  const note = (entries) => { for (const { duration } of entries) longest = Math.max(longest, duration); };
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  observer.observe({ type: "longtask" });
  await work();
  await new Promise(requestIdleCallback); // the last task ends before it is reported
  note(observer.takeRecords());
  observer.disconnect();
  return longest;
}

/** The answer that was read last. */
let text = "";

globalThis.bench = {
  /** Reads an answer: its time in ms, its longest task and the number of its pieces. */
  async read(client, baseURL) {
    text = "";
    let pieces = 0;
    let ms = 0;
    const longest = await longestTask(async () => {
      const start = performance.now();
      await readers[client](baseURL, (piece) => { if (piece) { text += piece; pieces++; } });
      ms = performance.now() - start;
    });
    return { ms, longest, pieces };
  },
  /** Reads an answer and keeps nothing of it. */
  drain: (client, baseURL) => readers[client](baseURL, () => {}),
  /** CRC-32 (IEEE) of the answer that was read last, in UTF-8. */
  crc32() {
    let crc = ~0;
    for (const byte of new TextEncoder().encode(text)) {
      crc ^= byte;
      for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
    }
    return ~crc >>> 0;
  },
  /** Reads a list a number of times, one after another: the mean time of a call in ms, and the number of items. */
  async list(client, baseURL, times, list) {
    const read = listers[client](baseURL, reads[list]);
    let items = 0;
    const start = performance.now();
    for (let i = 0; i < times; i++) {
      items += (await read())[list].length;
    }
    return { ms: (performance.now() - start) / times, items };
  },
};

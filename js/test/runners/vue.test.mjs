// ChatSDK in Vue's state, where people put it: a proxy of it would have none of
// its private fields.
import { ChatSDK } from "chatsdk";
import { createPinia, defineStore, setActivePinia } from "pinia";
import { expect, test } from "vitest";
import { effectScope, isReactive, reactive, readonly, ref, toRaw, watchEffect } from "vue";

import { useAnswer } from "./use-answer.mjs";
import { useMessages } from "./use-messages.mjs";

const { SERVICE_URL, TOKEN, MODEL_URL, MODEL_TOKEN } = process.env;
const sdk = new ChatSDK({ baseUrl: SERVICE_URL, projectId: "demo", accessToken: TOKEN });

/** What comes out of each place in which an application keeps a thing. */
const places = {
  "ref()": (thing) => ref(thing).value,
  "reactive()": (thing) => reactive({ thing }).thing,
  "reactive() itself": (thing) => reactive(thing),
  "readonly()": (thing) => readonly({ thing }).thing,
  "data() with an array in it": (thing) => reactive({ deep: { things: [thing] } }).deep.things[0],
  "a Map": (thing) => reactive(new Map([["thing", thing]])).get("thing"),
  "the state of a Pinia store": (thing) => {
    setActivePinia(createPinia());
    return defineStore("chat", { state: () => ({ thing }) })().thing;
  },
  "a Pinia store of refs": (thing) => {
    setActivePinia(createPinia());
    return defineStore("chat", () => ({ thing: ref(thing) }))().thing;
  },
};

for (const [name, put] of Object.entries(places)) {
  test(`calls and streams work from ${name}`, async () => {
    const kept = put(sdk);
    expect(isReactive(kept)).toBe(false);
    expect((await kept.createChat("Cats")).name).toBe("Cats");
    const answer = put(kept.stream("How many words are in this question?"));
    let text = "";
    for await (const event of answer) {
      text += event.type === "chunk" ? event.text : "";
    }
    const { content } = await answer.result;
    expect(text).toBe(content);
    expect(text).toContain("7");
    await expect(answer.stop()).resolves.toMatchObject({ stopped: false });
  });
}

test("the service's responses are reactive, like any data", async () => {
  const state = reactive({ chats: [] });
  const seen = [];
  await sdk.createChat();
  effectScope().run(() => watchEffect(() => seen.push(state.chats.length), { flush: "sync" }));
  state.chats = (await sdk.listChats()).chats;
  expect(seen).toEqual([0, state.chats.length]);
  expect(isReactive(state.chats[0])).toBe(true);
  expect(toRaw(state.chats[0])).not.toBe(state.chats[0]);
});

test("the composable of docs/vue.md shows a chat after a reload, and goes on", async () => {
  const page = () => new ChatSDK({ baseUrl: MODEL_URL, projectId: "demo", accessToken: MODEL_TOKEN });
  const before = page();
  const { chat_id: chatId } = await before.createChat();
  await new Promise((resolve) => void before.sendMessageStream("gated", { chatId, onChunk: resolve }).catch(() => {}));
  before.close();
  const after = page();
  const { messages, open } = useMessages(after);
  const opened = open(chatId);
  await expect.poll(() => messages.value[1]?.content).toBe("one ");
  await after.sendMessage("open the gate");
  await opened;
  expect(messages.value.map(({ content }) => content)).toEqual(["gated", "one two"]);
});

test("the composable of docs/vue.md shows an answer while it is written, and an error", async () => {
  const { text, error, ask } = useAnswer(sdk);
  const seen = [];
  effectScope().run(() => watchEffect(() => seen.push(text.value), { flush: "sync" }));
  await ask("How many words are in this question?");
  expect(text.value).toContain("7");
  expect(seen.length).toBeGreaterThan(2);
  expect(error.value).toBe(undefined);
  const lost = useAnswer(new ChatSDK({ baseUrl: SERVICE_URL, projectId: "demo", accessToken: "none" }));
  await lost.ask("How many words are in this question?");
  expect(lost.error.value.code).toBe("INVALID_BEARER_TOKEN");
});

test("the SDK and its streams say what they are", () => {
  expect(String(sdk)).toBe("[object ChatSDK]");
  expect(String(sdk.stream("Hi"))).toBe("[object AnswerStream]");
});

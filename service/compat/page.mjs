// Uses the old npm package in Node with a service: node page.mjs MODULE ADDRESS. It prints the
// results as JSON, and page_test.go checks them.
const [module, baseUrl] = process.argv.slice(2);
const { ChatSDK } = await import(module);

const sdk = new ChatSDK({ baseUrl, projectId: "demo", apiKey: process.env.API_KEY, apiSecret: process.env.API_SECRET, userId: "pat" });
const seen = {};

const follow = async (begin) => {
  const told = { chunks: [], ended: 0 };
  await begin({
    onChunk: (chunk) => told.chunks.push(chunk),
    onComplete: (message) => (told.message = message),
    onError: (error) => (told.error = String(error)),
    onMessageEnd: () => told.ended++,
  });
  return { ...told, text: told.chunks.join("") };
};

const chat = await sdk.createChat("Page");
const chatId = chat.chat_id;
seen.streamed = await follow((callbacks) => sdk.sendMessageStream("One?", { chatId, ...callbacks }));
seen.sent = (await sdk.sendMessage("Two?", { chatId })).message;
seen.iterated = "";
for await (const event of sdk.stream("Three?", { chatId })) {
  if (event.type === "chunk") seen.iterated += event.text;
}
const last = (await sdk.getChatHistory(chatId)).messages.at(-1);
seen.regenerated = await follow((callbacks) => sdk.regenerateMessage(chatId, last.id, callbacks));
seen.history = (await sdk.getChatHistory(chatId)).messages.map(({ role, content }) => [role, content]);
seen.chats = (await sdk.listChats()).chats.map(({ name }) => name);
seen.agents = (await sdk.listAgents()).agents.map(({ id }) => id);
await sdk.sendFeedback(seen.sent.id, chatId, true);
await sdk.deleteChat(chatId);
seen.gone = await sdk.getChatHistory(chatId).then(() => "there", ({ name, status }) => `${name} ${status}`);
sdk.close();
console.log(JSON.stringify(seen));

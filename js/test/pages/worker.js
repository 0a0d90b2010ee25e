import { ChatSDK } from "/dist/chatsdk.mjs";

onmessage = async ({ data: config }) => {
  const sdk = new ChatSDK(config);
  let chunks = "";
  let complete;
  await sdk.sendMessageStream("hello", {
    onChunk: (chunk) => (chunks += chunk),
    onComplete: (message) => (complete = message),
  });
  const { name } = await sdk.getChatHistory(complete.chat_id);
  postMessage({ chunks, complete: complete.content, name });
};

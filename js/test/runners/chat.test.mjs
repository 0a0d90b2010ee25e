// What an application's own tests do with ChatSDK, in whatever simulates the page.
import { APIError, ChatSDK } from "chatsdk";

const { SERVICE_URL, MODEL_URL, TOKEN, MODEL_TOKEN, IMAGE } = process.env;
const sdk = new ChatSDK({ baseUrl: SERVICE_URL, projectId: "demo", accessToken: TOKEN });
const image = Uint8Array.from(atob(IMAGE), (byte) => byte.charCodeAt(0));

test("an answer comes as it is written", async () => {
  const model = new ChatSDK({ baseUrl: MODEL_URL, projectId: "demo", accessToken: MODEL_TOKEN });
  let text = "";
  for await (const event of model.stream("gated")) {
    if (event.type === "chunk") {
      text += event.text;
      await model.sendMessage("open the gate"); // the second chunk waits for it
    }
  }
  expect(text).toBe("one two");
});

test("images arrive whole", async () => {
  const sent = await sdk.sendMessage("What is in there? 😀", { images: [new File([image], "a.png", { type: "image/png" })] });
  expect(sent.message.content).toContain("a PNG image of 64 × 48");
  const { messages } = await sdk.getChatHistory(sent.chat_id);
  expect(messages[0].content).toBe("What is in there? 😀");
  expect(messages[0].image_urls.length).toBe(1);
});

test("a document arrives whole, and its progress is reported once", async () => {
  const text = "Zoë lives in Łódź. 😀\r\n".repeat(20_000);
  const told = [];
  const file = new File([text], "Bild ü \"1\".txt", { type: "text/plain" });
  const { document_key } = await sdk.uploadDocument(file, { metadata: { a: "ü" }, onProgress: (sent, total) => told.push([sent, total]) });
  expect(told).toEqual([[file.size, file.size]]);
  const { docs } = await sdk.listDocuments();
  const { title, name, size } = docs.find(({ content_key }) => content_key === document_key);
  expect(size).toBe(file.size);
  expect(name ?? title).toContain("Bild ü");
});

test("a call can be aborted, and an error is the SDK's", async () => {
  const leaving = new AbortController();
  const left = sdk.listChats(undefined, undefined, { signal: leaving.signal });
  leaving.abort();
  await expect(left).rejects.toMatchObject({ name: "AbortError" });
  const missing = await sdk.getChatHistory("none").catch((error) => error);
  expect(missing instanceof APIError && missing.code).toBe("ENTITY_NOT_FOUND");
});

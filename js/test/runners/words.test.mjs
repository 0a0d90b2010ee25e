import { ChatSDK } from "chatsdk";

const { SERVICE_URL, TOKEN } = process.env;
const sdk = new ChatSDK({ baseUrl: SERVICE_URL, projectId: "demo", accessToken: TOKEN });

test("the assistant counts words", async () => {
  const { message } = await sdk.sendMessage("How many words are in this question?");
  expect(message.content).toContain("7");
});

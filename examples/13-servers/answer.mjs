// Asks a question with an API key and prints the answer as it arrives.
import { ChatSDK } from "chatsdk";

const { BASE_URL, PROJECT_ID, API_KEY, API_SECRET } = process.env;
const sdk = new ChatSDK({
  baseUrl: BASE_URL ?? "http://127.0.0.1:8080",
  projectId: PROJECT_ID ?? "demo",
  apiKey: API_KEY,
  apiSecret: API_SECRET,
});
const question = process.argv.slice(2).join(" ") || "What did I ask first?";
await sdk.sendMessageStream(question, { onChunk: (chunk) => process.stdout.write(chunk) });
console.log();

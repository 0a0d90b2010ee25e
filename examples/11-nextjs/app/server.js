import { ChatSDK } from "chatsdk";

/** The SDK with this server's API key. The key and its secret never reach a page. */
export function serverSDK() {
  const { SERVICE: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret } = process.env;
  return new ChatSDK({ baseUrl, projectId: "demo", apiKey, apiSecret });
}

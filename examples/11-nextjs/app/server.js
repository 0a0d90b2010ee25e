import { ChatSDK } from "chatsdk";

/** The service as this server knows it: the key and its secret never reach a page. */
export function serverSDK() {
  const { SERVICE: baseUrl, API_KEY: apiKey, API_SECRET: apiSecret } = process.env;
  return new ChatSDK({ baseUrl, projectId: "demo", apiKey, apiSecret });
}

import { ChatSDK } from "chatsdk";

const { API_KEY: apiKey, API_SECRET: apiSecret } = process.env;
const sdk = new ChatSDK({ baseUrl: useRuntimeConfig().public.service, projectId: "demo", apiKey, apiSecret });

// A real application takes the user from its session.
export default defineEventHandler(() => sdk.createAccessToken({ userId: "ana" }));

/** The script tag: defines the one global `ChatSDK`, with `ChatSDK.APIError` on it. */
import { ChatSDK } from "./client.js";

Object.assign(globalThis, { ChatSDK });

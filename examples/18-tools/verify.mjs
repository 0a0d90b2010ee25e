// Checks who calls a tool, in Node. main.go does the same in Go.
import { createHmac, timingSafeEqual } from "node:crypto";

/** Whether the service signed this request with the secret, at most five minutes ago. `body` is the text of the whole body. */
export function isSigned(request, body, secret, now = Date.now()) {
  const { "x-chatsdk-signature": signature, "idempotency-key": call, "x-chatsdk-user": user, "x-chatsdk-chat": chat } = request.headers;
  const [, t, given] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (!given || Math.abs(now / 1000 - t) > 300) return false;
  const signed = [t, request.method, request.url, call, user, chat, body].join("\n");
  return timingSafeEqual(Buffer.from(given, "hex"), createHmac("sha256", secret).update(signed).digest());
}

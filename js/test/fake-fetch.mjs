// A service in place of fetch, for tests in Node.
import { crc32 } from "node:zlib";

/** Answers fetch with the result of `answer` for a request: a Response, or a promise of one. */
export class FakeService {
  /** Each request: "METHOD /path", followed by the last event's id. */
  asked = [];
  keys = [];
  signals = [];

  constructor(answer) {
    globalThis.fetch = (url, { method, headers, body, signal }) => {
      const path = url.replace(/^https:\/\/[^/]+/, "");
      this.asked.push([method, path, headers["last-event-id"]].filter(Boolean).join(" "));
      this.keys.push(headers["idempotency-key"]);
      this.signals.push(signal);
      return new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        if (!signal.aborted) {
          Promise.resolve(answer({ method, path, headers, body, signal, n: this.asked.length - 1 })).then(resolve, reject);
        }
      });
    };
  }
}

/** Never answers. */
export const silence = () => new Promise(() => {});

export const refusal = (status, code, headers, fields) =>
  Response.json({ status_code: status, error: { code, message: code, invalid_fields: fields } }, { status, headers: { "x-request-id": "r-1", ...headers } });

/** The events of an answer s1 with these chunks, in the form of the wire. */
export function events(...chunks) {
  const content = chunks.join("");
  const message = { id: "m2", chat_id: "c1", role: "assistant", content, created_at: 1, finish_reason: "stop" };
  const proof = { chunks: chunks.length, bytes: Buffer.byteLength(content), crc32: crc32(content).toString(16).padStart(8, "0") };
  return [
    ["start", { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" }],
    ...chunks.map((text) => ["chunk", { text }]),
    ["complete", { message, ...proof }],
    ["end", {}],
  ].map(([name, data], i) => `id: ${i + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
}

/** A streamed response of these texts, one read each. Then it closes, or is silent until the signal is aborted. */
export function streamed(texts, signal, open = false) {
  const encoder = new TextEncoder();
  const body = new ReadableStream({
    start(controller) {
      texts.forEach((text) => controller.enqueue(encoder.encode(text)));
      if (!open) {
        controller.close();
        return;
      }
      signal.addEventListener("abort", () => controller.error(signal.reason));
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "x-request-id": "r-1" } });
}

/** The receipt of a stop of an answer with this text. */
export const receipt = (content, stopped = true) => Response.json({
  stopped, message: { id: "m2", chat_id: "c1", role: "assistant", content, created_at: 1, finish_reason: "stopped" },
  last_event_id: 9, bytes: Buffer.byteLength(content), crc32: "00000000",
});

/** Waits until the condition is true. */
export async function until(condition) {
  while (!condition()) {
    await new Promise(setImmediate);
  }
}

/** Whether the promise settles without a turn of the event loop: its outcome, or undefined. */
export async function atOnce(promise) {
  let outcome;
  promise.then((value) => (outcome = { value }), (error) => (outcome = { error }));
  for (let i = 0; i < 20; i++) {
    await undefined;
  }
  return outcome;
}

// A service with one answer that makes tool calls, for tests in Node, like desk_test.go of package
// sdk.
import { events, FakeService, receipt } from "./fake-fetch.mjs";

export class Desk {
  calls = new Map();
  /** The requests: [method and path, body as JSON]. */
  told = [];
  #log = [];
  #readers = new Set();
  #ended = false;
  #before = () => {};

  /** `more` may answer a request by returning a response. */
  constructor(more = () => undefined) {
    this.#tell("start", { stream_id: "s1", chat_id: "c1", message_id: "m2", user_message_id: "m1" });
    this.service = new FakeService((request) => {
      const { method, path, body, headers, signal } = request;
      this.told.push([`${method} ${path}`, typeof body === "string" ? JSON.parse(body) : body]);
      const given = more(request);
      if (given) {
        return given;
      }
      if (path.startsWith("/tool-calls")) {
        return this.#answer(path, body);
      }
      if (path.endsWith("/stop")) {
        return receipt("");
      }
      if (path.endsWith("/all")) {
        return Response.json({ messages: [{ id: "m2", content: "", stream_id: "s1" }] });
      }
      if (path.endsWith("/message/m2")) {
        return Response.json({ id: "m2", content: "", stream_id: "s1" });
      }
      return this.#stream(Number(headers["last-event-id"] ?? 0), signal);
    });
  }

  get asked() {
    return this.service.asked;
  }

  /** The body of the first request whose path ends with this. */
  body(ending) {
    return this.told.find(([what]) => what.endsWith(ending))?.[1];
  }

  /** Makes a call to the tool look, or changes one, and sends its event. */
  call(id, status, fields) {
    const call = { id, chat_id: "c1", message_id: "m2", name: "look", kind: "page", at: 0, approval: "user", arguments: '{"at":"ü"}', ...this.calls.get(id), ...fields, status };
    this.calls.set(id, call);
    this.#tell("tool_call", call);
    return call;
  }

  /** Writes a piece of the text. */
  chunk(text) {
    this.#tell("chunk", { text });
  }

  /** Writes a piece of what the model thinks. */
  think(text) {
    this.#tell("reasoning", { text });
  }

  /** Ends the answer, whose text was sent in this many chunks. */
  end(text, chunks) {
    const complete = events(text).at(-2).replace(/"chunks":1/, `"chunks":${chunks}`);
    this.#ended = true;
    for (const event of [complete, events("").at(-1)]) {
      this.#put(event.replace(/^id: \d+/, `id: ${this.#log.length + 1}`));
    }
  }

  /** Does something before the calls are listed. */
  hold(before) {
    this.#before = before;
  }

  /** Ends the answer with this text. */
  finish(text) {
    const [, chunk, complete, end] = events(text);
    this.#ended = true;
    for (const event of [chunk, complete, end]) {
      this.#put(event.replace(/^id: \d+/, `id: ${this.#log.length + 1}`));
    }
  }

  #tell(name, data) {
    this.#put(`id: ${this.#log.length + 1}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  #put(event) {
    this.#log.push(event);
    for (const reader of this.#readers) {
      reader();
    }
  }

  #stream(from, signal) {
    let next = from;
    const body = new ReadableStream({
      start: (controller) => {
        const send = () => {
          for (; next < this.#log.length; next++) {
            controller.enqueue(new TextEncoder().encode(this.#log[next]));
          }
          if (this.#ended && next === this.#log.length && this.#log.at(-1).includes("event: end")) {
            this.#readers.delete(send);
            controller.close();
          }
        };
        this.#readers.add(send);
        send();
        signal.addEventListener("abort", () => this.#readers.delete(send) && controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }

  #answer(path, body) {
    const [, , id, how] = path.split("?")[0].split("/");
    if (!id) {
      this.#before();
      return Response.json({ tool_calls: [...this.calls.values()].reverse(), has_more: false });
    }
    const call = this.calls.get(id);
    const { action, claim, error } = body ? JSON.parse(body) : {};
    const next = {
      decision: call.status === "awaiting" && { approve: "approved", deny: "denied" }[action],
      claim: call.status === "approved" ? "running" : call.claim === claim && "same",
      result: call.status === "running" && call.claim === claim && (error === undefined ? "done" : "failed"),
    }[how];
    if (how && !next) {
      return Response.json({ error: { code: "CONFLICT", message: "m" } }, { status: 409 });
    }
    if (how && next !== "same") {
      this.call(id, next, how === "claim" ? { claim } : {});
    }
    return Response.json(how ? { call: this.calls.get(id) } : call);
  }
}

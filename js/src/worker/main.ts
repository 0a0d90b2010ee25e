/** The worker's script: a core, with a pipe to the page; see remote.ts. */

import { Core } from "../core.js";
import type { FromCore, ToCore } from "../messages.js";
import { unseen } from "./seen.js";

/** What filters the events of a call. */
const streams = new Map<number, ReturnType<typeof unseen>>();

const send = (message: FromCore): void => postMessage(message);

const core = new Core((message) => {
  if (message.kind === "events") {
    streams.get(message.id)?.(message.events);
    return;
  }
  if (message.kind === "done" || message.kind === "failed") {
    streams.delete(message.id);
  }
  send(message);
});

onmessage = ({ data }: MessageEvent<ToCore>) => {
  if (data.kind === "ping") {
    send({ kind: "pong" });
    return;
  }
  if (data.kind === "call") {
    const { id } = data;
    streams.set(id, unseen(data.seen, (events, seen) => send({ kind: "events", id, events, seen })));
  }
  core.post(data);
};

send({ kind: "ready", version: VERSION });

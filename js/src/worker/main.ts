/** The worker's script: a core that is controlled by messages; see remote.ts. */

import { type OperationName, read } from "../bindings.js";
import { compile, instantiating } from "../compile.js";
import { Core } from "../core.js";
import { APIError } from "../errors.js";
import { json } from "../native.js";
import type { Failure, Seen, ToPage, ToWorker } from "./messages.js";
import { unseen } from "./seen.js";

/** What Go says about an error, on its way to the page. */
class Told extends Error {
  constructor(readonly failure: Failure) {
    super("for the page");
  }
}

/** Stands for an error that a function of the page threw. Go reads its `message`. */
class Thrown {
  constructor(
    readonly ask: number,
    readonly message: string | undefined,
  ) {}
}

let core: Core | undefined;
/** The core's number for each of the page's clients, or why it has none. */
const clients = new Map<number, number | Error | undefined>();
const running = new Map<number, AbortController>();
const asked = new Map<number, { resolve(answer: unknown): void; reject(reason: Thrown): void }>();
let asks = 0;

const tell = (message: ToPage): void => postMessage(message);

async function start(wasm: WebAssembly.Module | string, pastCache: boolean): Promise<void> {
  try {
    const module = typeof wasm === "string" ? await compile(wasm, pastCache, undefined) : wasm;
    core = await Core.start(instantiating(module), (dead) => tell(["dead", failureOf(dead)]), told);
    tell(["started"]);
    if (typeof wasm === "string") {
      tell(["module", module]);
    }
  } catch (error) {
    tell(["dead", failureOf(error)]);
  }
}

function told(kind: Failure[0], fields: string, cause: unknown): Told {
  return new Told(cause instanceof Thrown ? [kind, fields, undefined, cause.ask] : [kind, fields, cause, undefined]);
}

/** An error in the form that the page gets. */
function failureOf(error: unknown): Failure {
  if (error instanceof Told) {
    return error.failure;
  }
  const { message, cause, ...fields } = error instanceof APIError ? error : new APIError(String(error), { status: 0, code: "INTERNAL" });
  return ["api", JSON.stringify({ ...fields, message }), cause, undefined];
}

function open(client: number, config: string, hasAccessToken: boolean, hasLogger: boolean, hasTools: boolean): void {
  clients.set(
    client,
    core?.bindings.newClient(
      config,
      hasAccessToken ? () => ask((ask) => ["ask", ask, client]) : undefined,
      hasLogger ? (entry) => tell(["log", client, entry]) : undefined,
      hasTools ? (name, callId, args, signal) => ask((ask) => ["carry", ask, client, name, callId, args], signal) as Promise<string> : undefined,
      undefined, // a page's own fetch cannot be called here, so it is refused
    ),
  );
}

/** Sends a question to the page, with a new number. */
function ask(question: (ask: number) => ToPage, signal?: AbortSignal): Promise<unknown> {
  asks += 1;
  const own = asks;
  tell(question(own));
  signal?.addEventListener("abort", () => tell(["leave", own]));
  return new Promise((resolve, reject) => {
    asked.set(own, { resolve, reject });
  });
}

function answer(ask: number): { resolve(answer: unknown): void; reject(reason: Thrown): void } | undefined {
  const waiting = asked.get(ask);
  asked.delete(ask);
  return waiting;
}

/** Passes on a message from the page about a client, if the core has the client. */
function pass(how: "freeClient" | "closeClient", client: number): void {
  const own = clients.get(client);
  if (typeof own === "number") {
    core?.bindings[how](own);
  }
}

/** The arguments that resume the very answer that the page has the beginning of, even if it has ended since. */
function resumed(args: string, seen: Seen | undefined): string {
  const { stream_id: streamId, message_id: messageId } = seen?.start ?? {};
  return streamId === undefined ? args : json({ ...read<object>(args), messageId, streamId });
}

async function call(
  call: number, name: OperationName, client: number, args: string, images: readonly (Blob | string)[] | undefined,
  hasEvents: boolean, hasProgress: boolean, hasLogger: boolean, seen: Seen | undefined,
): Promise<void> {
  const controller = new AbortController();
  running.set(call, controller);
  try {
    const own = clients.get(client);
    if (core === undefined || typeof own !== "number") {
      throw own;
    }
    const answer = await core.call(
      name, own, name === "resumeStream" ? resumed(args, seen) : args, images,
      hasEvents ? unseen(seen, (events, now) => tell(["events", call, events, now])) : undefined,
      controller.signal,
      hasProgress ? (sent, total) => tell(["progress", call, sent, total]) : undefined,
      hasLogger ? (entry) => tell(["log of call", call, entry]) : undefined,
    );
    tell(["done", call, answer]);
  } catch (error) {
    tell(["failed", call, failureOf(error)]);
  } finally {
    running.delete(call);
  }
}

onmessage = ({ data }: MessageEvent<ToWorker>) => {
  switch (data[0]) {
    case "start":
      void start(data[1], data[2]);
      break;
    case "open":
      open(data[1], data[2], data[3], data[4], data[5]);
      break;
    case "free":
      pass("freeClient", data[1]);
      clients.delete(data[1]);
      break;
    case "close":
      pass("closeClient", data[1]);
      break;
    case "ping":
      tell(["pong"]);
      break;
    case "wake":
      core?.bindings.wake();
      break;
    case "go offline":
      core?.bindings.goOffline();
      break;
    case "call":
      void call(data[1], data[2], data[3], data[4], data[5], data[6], data[7], data[8], data[9]);
      break;
    case "abort":
      running.get(data[1])?.abort();
      break;
    case "answer":
      answer(data[1])?.resolve(data[2]);
      break;
    case "no answer":
      answer(data[1])?.reject(new Thrown(data[1], data[2]));
      break;
  }
};

tell(["ready", VERSION]);

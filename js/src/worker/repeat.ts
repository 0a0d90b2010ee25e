/** What the page keeps of calls and clients, for the case that the worker dies, and which calls go on in another one. */

import { type Bindings, type Operation, read } from "../bindings.js";
import type { Seen, ToWorker } from "./messages.js";

/** The operations that only read are repeated as often as after other failures. */
const reads = /^(get|list)|Of(Memory|Source)$/;
/** Answers, and what has a key by which the service knows it, go on. */
const keyed = /^(sendMessage|editMessage|regenerateMessage|resumeStream|stop)/;
/** How many workers in a row may die before an answer brings anything new. */
const mostLost = 2;

type CallMessage = Extract<ToWorker, readonly ["call", ...unknown[]]>;

/** A waiting call. */
export interface Call {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  /** What the worker was told; undefined for the start. */
  message?: CallMessage;
  /** What the page has of its stream. */
  seen?: Seen;
  /** How many workers have died with it since it brought anything new. */
  lost: number;
  onEvents: Parameters<Operation>[3];
  signal: Parameters<Operation>[4];
  onProgress: Parameters<Operation>[5];
  onLog: Parameters<Operation>[6];
  /** Removes the listener from the signal. */
  leave(): void;
}

/** A client's functions, which stay in the page. */
export interface Client {
  config: string;
  accessToken: Parameters<Bindings["newClient"]>[1];
  logger: Parameters<Bindings["newClient"]>[2];
  carry: Parameters<Bindings["newClient"]>[3];
  /** It is kept for its stops. */
  isClosed: boolean;
  /** The token that a worker waits for. */
  asking?: { worker: Worker | undefined; token: Promise<unknown> } | undefined;
  /** What the function threw the last time: the cause of errors, unchanged. */
  thrown?: { ask: number; reason: unknown } | undefined;
}

/** Whether a call with which so many workers have died goes on in another one. */
export function goesOn([, , name, , args]: CallMessage, lost: number, client: Client | undefined): boolean {
  // Nothing is repeated for a client that is closed, but its stops of answers go on.
  if (!client || (client.isClosed && name !== "stop")) {
    return false;
  }
  if (reads.test(name)) {
    return lost <= (retriesOf(args) ?? retriesOf(client.config) ?? 2);
  }
  return keyed.test(name) && lost <= mostLost;
}

function retriesOf(settings: string): number | null | undefined {
  return read<{ maxRetries?: number | null }>(settings).maxRetries;
}

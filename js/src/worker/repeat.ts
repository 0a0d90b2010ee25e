/** What goes on in another worker when one dies. */

import { read } from "../bindings.js";
import type { CallMessage, OpenMessage } from "../messages.js";
import { json } from "../native.js";

/** The operations that only read are repeated as often as after other failures. */
const reads = /^(get|list)|Of(Memory|Source)$/;
/** Answers, and what has a key by which the service knows it, go on. */
const keyed = /^(sendMessage|editMessage|regenerateMessage|resumeStream|stop)/;
/** How many workers in a row may die before an answer brings anything new. */
const mostLost = 2;

/** A call under way. */
export interface PendingCall {
  /** What a worker is told, with what the page has of the stream. */
  message: CallMessage;
  /** How many workers have died with it since it brought anything new. */
  lost: number;
  aborted?: boolean;
}

/** A client. It is kept for its stops when it is closed. */
export interface OpenClient {
  message: OpenMessage;
  closed?: boolean;
}

/** Whether a call goes on in another worker. */
export function goesOn({ message: { operation, args }, lost }: PendingCall, client: OpenClient | undefined): boolean {
  // Nothing is repeated for a client that is closed, but its stops of answers go on.
  if (!client || (client.closed && operation !== "stop")) {
    return false;
  }
  if (reads.test(operation)) {
    return lost <= (retriesOf(args) ?? retriesOf(client.message.settings) ?? 2);
  }
  return keyed.test(operation) && lost <= mostLost;
}

function retriesOf(settings: string): number | null | undefined {
  return read<{ maxRetries?: number | null }>(settings).maxRetries;
}

/** A call as another worker is told it: it resumes the very answer that the page has the beginning of, even if that has ended since. */
export function again({ message }: PendingCall): CallMessage {
  const { stream_id: streamId, message_id: messageId } = message.seen?.start ?? {};
  return message.operation === "resumeStream" && streamId !== undefined
    ? { ...message, args: json({ ...read<object>(message.args), messageId, streamId }) }
    : message;
}

import type { Message, SendMessageOptions } from "chatsdk";
import type { ChatStatus, FileUIPart, UIMessage } from "ai";

/** The field of a question's metadata that holds the id from the AI SDK. It identifies the question in the history. */
const idField = "ui_message_id";

/**
 * What is sent with a question besides its text.
 *
 * @internal
 */
export function optionsOf(chatId: string, message: UIMessage, old: Message | undefined, ...metadata: unknown[]): SendMessageOptions {
  const files = message.parts.filter((part) => part.type === "file");
  // Images with an address of the service belong to the old version, and are kept.
  const isKept = old !== undefined && files.every(({ url }) => !url.startsWith("data:"));
  return {
    chatId,
    images: isKept ? undefined : files.map(image),
    metadata: Object.assign({}, ...[...metadata, message.metadata].map(fields), { [idField]: message.id }) as Record<string, unknown>,
    // The same message counts once, even if it is sent again after a failure.
    idempotencyKey: keyOf([chatId, message.id, ...(old ? [old.id, digest(textOf(message))] : [])]),
  };
}

/** One character as in {@link encodeURIComponent}, which refuses half of a surrogate pair. */
function encoded(character: string): string {
  return /\p{Surrogate}/u.test(character) ? `%u${character.charCodeAt(0)}` : encodeURIComponent(character);
}

/** A key of these parts, in the characters and the length that a key may have. */
function keyOf(parts: string[]): string {
  const key = parts.map((part) => part.replace(/[^]/gu, encoded)).join("/");
  return key.length > 255 ? `${digest(key)}${digest(`${key}/`)}/${key.slice(-200)}` : key;
}

/**
 * The id of the last answer that is shown, which a new question follows. Undefined if its id at the
 * service is not known.
 *
 * @internal
 */
export function parentOf(messages: readonly UIMessage[]): string | undefined {
  const { message_id: id } = fields(messages.filter(({ role }) => role === "assistant").at(-1)?.metadata);
  return typeof id === "string" ? id : undefined;
}

/**
 * The questions of a chat that have no answer, and that the service may not have: each one before another question, and the
 * last message while `status` is `"error"`. Mark them, and send one again by its `id`, by which the service stores it once:
 * take it out with `setMessages`, then `sendMessage(message)`.
 *
 * @param messages The messages of `useChat`.
 * @param status The status of `useChat`.
 * @throws Nothing.
 * @example
 * ```ts
 * const [lost] = unsentMessages(messages, "error");
 * console.log(lost ? `Not sent: ${lost.id}` : "All is sent.");
 * ```
 */
export function unsentMessages<M extends UIMessage>(messages: readonly M[], status: ChatStatus): M[] {
  return messages.filter(({ role, metadata }, i) => {
    const next = messages[i + 1];
    const isKnown = fields(metadata).message_id !== undefined;
    return role === "user" && !isKnown && (next ? next.role === "user" : status === "error");
  });
}

/**
 * Reports whether a question of the history has the content of a message of the AI SDK.
 *
 * @internal
 */
export function isSame({ content }: Message, message: UIMessage): boolean {
  return content === textOf(message).replace(/\r\n?/g, "\n");
}

/**
 * The text of a message. A part that cannot be sent is an error.
 *
 * @internal
 */
export function textOf(message: UIMessage): string {
  const texts = message.parts.flatMap((part) => {
    if (part.type !== "text" && part.type !== "file") {
      throw new TypeError(`sendMessage: a part of message ${message.id} is ${part.type}, want text or file`);
    }
    return part.type === "text" ? [part.text] : [];
  });
  return texts.join("\n");
}

/**
 * Reports whether a message of the history has this id in the AI SDK.
 *
 * @internal
 */
export function isQuestion(message: { id: string; role: string; metadata?: Record<string, unknown> }, id: string): boolean {
  return message.role === "user" && (message.id === id || message.metadata?.[idField] === id);
}

/**
 * A copy of a value that is an object; otherwise an empty object.
 *
 * @internal
 */
export function fields(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

/** A short digest of a text, the 64-bit FNV-1a hash: equal texts have equal digests. */
function digest(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const hash = bytes.reduce((sum, byte) => BigInt.asUintN(64, (sum ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n);
  return hash.toString(36);
}

/** The file of a data: address, in the form of `files` of sendMessage. */
function image({ url, mediaType, filename = "image" }: FileUIPart): Blob {
  if (!/^image(\/|$)/.test(mediaType)) {
    throw new TypeError(`sendMessage: file ${filename} is ${mediaType}, want an image; uploadDocument takes documents, and documentKeys name them`);
  }
  const comma = url.indexOf(",");
  if (!url.startsWith("data:") || comma < 0) {
    throw new TypeError(`sendMessage: the url of file ${filename} is not a data: address; pass the file itself to sendMessage({ files })`);
  }
  const data = url.slice(comma + 1);
  const bytes = /;\s*base64$/i.test(url.slice(0, comma))
    ? Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    : decodeURIComponent(data);
  return new File([bytes], filename, { type: mediaType });
}

import { callbackNames } from "./callbacks.js";
import { abortError, typeName } from "./errors.js";
import type { CallOptions } from "./options.js";
import { isA, textOf } from "./thrown.js";

/**
 * Turns arguments into JSON before they reach Go, because a getter that throws would unwind through
 * Go. Functions become `true`, so that an unknown function is noticed.
 */
export function plain(name: string, args: object): string {
  const members = Object.entries(args).flatMap(([key, value]: [string, unknown]) => {
    const json = member(name, key, typeof value === "function" ? true : value);
    return json === undefined ? [] : [`${JSON.stringify(key)}:${json}`];
  });
  return `{${members.join()}}`;
}

/** One argument as JSON. A value that JSON would change or leave out silently is an error with its path. */
export function member(name: string, key: string, value: unknown): string | undefined {
  const paths = new WeakMap<object, string>();
  let at = key;
  /** The part of a value that JSON gets. Throws if JSON has nothing for it, or would make {} of it. */
  function kept(this: Record<string, unknown>, field: string, part: unknown): unknown {
    const own = this[field] as { toJSON?: unknown } | null | undefined;
    // A page may have given a toJSON to all arrays, as Prototype does.
    if (typeof own === "object" && own && [Array.prototype, Object.prototype].some((all) => own.toJSON === (all as typeof own).toJSON)) {
      part = own;
    }
    const holder = paths.get(this);
    const path = holder === undefined ? key : holder + (Array.isArray(this) ? `[${field}]` : `.${field}`);
    const kind = part === null && isA(own, Date) ? "Invalid Date" : kindOf(part);
    if (kind) {
      at = path;
      throw new TypeError(`JSON has no ${kind}`);
    }
    if (Object(part) === part) {
      paths.set(part as object, path);
    }
    return part;
  }
  try {
    return JSON.stringify(value, kept);
  } catch (cause) {
    throw new TypeError(`${name}: ${at} cannot be sent: ${textOf(cause, "message") ?? "reading it throws"}`, { cause });
  }
}

/** What a value is that JSON would lose; undefined if JSON has it. */
function kindOf(part: unknown): string | undefined {
  if (typeof part === "number") {
    return Number.isFinite(part) ? undefined : `${part}`;
  }
  if (typeof part !== "object" || part === null) {
    return /^(bigint|function|symbol)$/.test(typeof part) ? typeof part : undefined;
  }
  const kind = Object.prototype.toString.call(part).slice(8, -1);
  if (kind !== "Object") {
    return /^(Array|Boolean|Number|String)$/.test(kind) ? undefined : kind;
  }
  const parent: unknown = Object.getPrototypeOf(part);
  // An object of a class may keep all that it has in getters and private fields.
  return parent && Object.getPrototypeOf(parent) && !Object.keys(part).length ? `${part.constructor.name || "object of a class"} without fields` : undefined;
}

/** The names of all options, for objects that have them from a class; a test compares them with the types. */
const optionNames = ("action agentId agentType agents arguments autoApprove before branches chatId cursor detachOnAbort documentKeys edits end " +
  "exampleJson expiresIn formatInstructions googleSearch idempotencyKey ignoreChatHistory images isTest itemsPerPage limit logger maxMemories " +
  "maxRetries memoryContent memoryEnabled memoryIds memoryType memoryTypes messageId metadata modelName nameSearch " +
  "onProgress onUploadProgress page parentId reason reasoning role signal skipStream start status streamId timeout type useKnowledgebase userId").split(" ");

/** A copy of the options of a method. Refuses anything but an object, such as a callback. */
export function optionsOf<T extends object>(name: string, options: T | null | undefined): Partial<T> {
  const kind = Object.prototype.toString.call(options ?? {}).slice(8, -1);
  if (kind !== "Object") {
    const given = typeof options === "object" ? kind : typeof options;
    throw new TypeError(`${name}: the options are ${/^[AEIOU]/.test(kind) ? "an" : "a"} ${given}, want an object`);
  }
  return copied(options);
}

/** A copy of options that nobody has checked. */
export function copied<T extends object>(options: T | null | undefined): Partial<T> {
  return copyOf(typeof options === "object" ? options : undefined, [...optionNames, ...callbackNames]);
}

/**
 * A copy of an object of the page, with what it has by itself and the known names that it has from its class: getters
 * and, with their `this`, methods.
 */
export function copyOf<T extends object>(object: T | null | undefined, known: readonly string[]): Partial<T> {
  const copy: Record<string, unknown> = { ...object };
  for (const key of known) {
    if (object && key in object && !(key in copy)) {
      const value: unknown = object[key as keyof T];
      copy[key] = typeof value === "function" ? (...args: readonly unknown[]): unknown => Reflect.apply(value, object, args) : value;
    }
  }
  return copy as Partial<T>;
}

/** The arguments of a method together with its options. A value that is given as both is an error. */
export function joined(name: string, args: object, options: object | undefined): CallOptions & Record<string, unknown> {
  const rest = optionsOf(name, options as Record<string, unknown> | undefined);
  for (const key of Object.keys(rest)) {
    if (key in args && rest[key] != null) {
      throw new TypeError(`${name}: ${key} is not an option; pass it before the options`);
    }
  }
  return { ...rest, ...args };
}

/** Refuses anything but a list of files. */
export function checkBlobs(name: string, files: unknown): asserts files is readonly Blob[] | null | undefined {
  if (files !== undefined && files !== null && !(Array.isArray(files) && files.every((file) => file instanceof Blob))) {
    throw new TypeError(`${name}: ${name === "uploadDocument" ? "file is not a File or Blob" : "images is not an array of File or Blob objects"}`);
  }
}

/** Refuses anything but an AbortSignal, and throws the reason of one that is aborted. */
export function checkSignal(name: string, signal: unknown): asserts signal is AbortSignal | null | undefined {
  // A signal of another realm, or of a polyfill, is not an instance of this realm's class.
  const { aborted, addEventListener } = Object(signal ?? {}) as Partial<AbortSignal>;
  if (signal !== undefined && signal !== null && (typeof aborted !== "boolean" || typeof addEventListener !== "function")) {
    throw new TypeError(`${name}: signal is ${typeName(signal)}, want an AbortSignal`);
  }
  if (aborted) {
    throw abortError(signal as AbortSignal);
  }
}

/** A new idempotency key of 128 random bits. crypto.randomUUID exists only on https. */
export function newKey(): string {
  return [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join("");
}

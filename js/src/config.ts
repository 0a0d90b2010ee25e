import { copyOf } from "./arguments.js";
import { checkFunction } from "./callbacks.js";
import { checkTools } from "./carry.js";
import { typeName } from "./errors.js";
import { resolved } from "./native.js";
import type { ChatSDKConfig, CoreOptions, WasmModule } from "./options.js";

const fields = [
  "baseUrl", "projectId", "apiKey", "apiSecret", "accessToken", "userId", "wasmURL", "wasmModule", "worker", "dangerouslyAllowBrowser",
  "maxRetries", "retryDelay", "timeout", "stallTimeout", "resumeTimeout", "logger", "fetch", "headers", "tools",
] as const;

/**
 * A copy of the settings, each read once. Throws if one is invalid. The core takes the settings unchecked. sdk/config.go
 * checks the same for Go programs, and both run sdk/testdata/config.json.
 */
export function configOf(from: ChatSDKConfig): ChatSDKConfig {
  if (typeof from !== "object" || from === null) {
    throw wrong("config", "is missing, want {baseUrl, projectId, accessToken}");
  }
  const config = copyOf(from, fields) as ChatSDKConfig;
  checkNames("ChatSDK", config, fields);
  checkBaseURL(config.baseUrl);
  id("projectId", config.projectId);
  checkCredentials(config);
  for (const name of ["maxRetries", "retryDelay", "resumeTimeout"] as const) {
    count(name, config[name], 0);
  }
  for (const name of ["timeout", "stallTimeout"] as const) {
    count(name, config[name], 1);
  }
  checkFunction("ChatSDK", "logger", config.logger);
  checkFunction("ChatSDK", "fetch", config.fetch);
  if (config.fetch && config.worker) {
    throw wrong("fetch", "is set as well as worker, and a worker cannot call a function of the page; set only one");
  }
  config.headers = headersOf(config.headers);
  checkTools(config.tools);
  wasmOf(config);
  workerOf(config);
  return config;
}

/** The headers that the SDK sets itself, as in sdk/config.go. */
const ownHeaders = /^(accept|authorization|content-type|idempotency-key|last-event-id|x-api-(key|secret)|x-user-id)$/;

/** A copy of the page's own headers, with their names in lower case. */
function headersOf(headers: ChatSDKConfig["headers"]): ChatSDKConfig["headers"] {
  if (headers == null) {
    return undefined;
  }
  if (Object.prototype.toString.call(headers) !== "[object Object]") {
    throw wrong("headers", `is ${typeName(headers)}, want names and texts such as {"x-tenant": "t1"}`);
  }
  const own: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (ownHeaders.test(key)) {
      throw wrong("headers", `has ${key}, which the SDK sets itself`);
    }
    if (value != null) {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key) || key in own || !isHeaderText(value)) {
        throw wrong("headers", `has ${JSON.stringify(name)} twice, or what a header cannot carry`);
      }
      own[key] = value;
    }
  }
  return own;
}

function isHeaderText(value: unknown): boolean {
  return typeof value === "string" && /^([!-~]([ -~]*[!-~])?)?$/.test(value);
}

/** Refuses an unknown name. */
export function checkNames(name: string, options: object, known: readonly string[]): void {
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw new TypeError(`${name}: ${key} is unknown, want one of ${known.join(", ")}`);
    }
  }
}

/** The module, or the absolute address of one that is set; undefined if neither is set. Throws if one is invalid. */
export function wasmOf({ wasmURL, wasmModule }: CoreOptions): WasmModule | string | undefined {
  if (wasmModule != null) {
    // A module of another realm is not an instance of this realm's class.
    if (Object.prototype.toString.call(wasmModule) !== "[object WebAssembly.Module]") {
      throw wrong("wasmModule", `is ${typeName(wasmModule)}, want a WebAssembly.Module`);
    }
    if (wasmURL != null) {
      throw wrong("wasmModule", "is set as well as wasmURL; set only one");
    }
    return wasmModule;
  }
  return wasmURL == null ? undefined : address("wasmURL", wasmURL);
}

/** The absolute address of the worker's script; undefined if the SDK's own is used. Throws if it is invalid. */
export function workerOf({ worker }: CoreOptions): string | undefined {
  return worker == null || typeof worker === "boolean" ? undefined : address("worker", worker);
}

function address(field: string, value: string | URL): string {
  try {
    return resolved(value, globalThis.location?.href).href;
  } catch {
    throw wrong(field, "is not an address");
  }
}

function wrong(field: string, problem: string): TypeError {
  return new TypeError(`ChatSDK: ${field} ${problem}`);
}

function id(field: string, value: unknown): void {
  if (typeof value !== "string" || value.trim() === "") {
    throw wrong(field, value == null || typeof value === "string" ? "is empty" : `is ${typeName(value)}, want a string`);
  }
  if (value === "." || value === "..") {
    throw wrong(field, `is ${value}, which cannot be an id`);
  }
}

function count(field: string, value: unknown, least: number): void {
  if (value != null && !(Number.isSafeInteger(value) && Number(value) >= least)) {
    throw wrong(field, `is ${typeof value === "number" ? value : typeName(value)}, want a whole number of at least ${least}`);
  }
}

function checkBaseURL(baseUrl: unknown): void {
  const want = ", want an address such as https://api.example.com";
  if (typeof baseUrl !== "string" || baseUrl.trim() === "") {
    throw wrong("baseUrl", `is blank${want}`);
  }
  if (!/^https?:\/\/[^/\s?#@]+(\/[^\s?#]*)?$/i.test(baseUrl)) {
    throw wrong("baseUrl", `is not an http address without credentials, query or fragment${want}`);
  }
  address("baseUrl", baseUrl); // throws if its port is invalid
}

function checkCredentials(config: ChatSDKConfig): void {
  const { apiKey, apiSecret, accessToken, userId } = config;
  if (apiSecret && inBrowser() && config.dangerouslyAllowBrowser !== true) {
    throw wrong("apiSecret", "does not belong in a page; use accessToken, or set dangerouslyAllowBrowser");
  }
  if (Boolean(apiKey) !== Boolean(apiSecret)) {
    throw wrong(apiKey ? "apiSecret" : "apiKey", `is missing: it belongs to ${apiKey ? "apiKey" : "apiSecret"}`);
  }
  if (typeof accessToken !== "function" && typeof accessToken !== "string" && accessToken != null) {
    throw wrong("accessToken", `is ${typeName(accessToken)}, want a string or a function that returns one`);
  }
  if (accessToken && apiKey) {
    throw wrong("accessToken", "is set as well as apiKey; set only one");
  }
  if (!accessToken && !apiKey) {
    throw wrong("accessToken", "is missing: give accessToken, or apiKey and apiSecret on a server");
  }
  if (userId != null) {
    id("userId", userId);
  }
  if (accessToken && userId) {
    throw wrong("userId", "is set, but accessToken names its user");
  }
  for (const [name, value] of Object.entries({ apiKey, apiSecret, userId, accessToken })) {
    if (typeof value === "string" && !isHeaderText(value)) {
      throw wrong(name, "has characters that a header cannot carry");
    }
  }
}

/** A page, or a worker of a page. */
export function inBrowser(): boolean {
  return typeof document !== "undefined" || "importScripts" in globalThis;
}

/** A page inside Node, from jsdom or happy-dom. */
export function inPlay(): boolean {
  return inBrowser() && typeof globalThis.process?.getBuiltinModule === "function";
}

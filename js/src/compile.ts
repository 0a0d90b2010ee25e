import { APIError, cannotRun, coreError } from "./errors.js";
import { resolved } from "./native.js";

/**
 * Fetches the module and compiles it, while it downloads if the server allows that. `pastCache` asks the server, whatever the
 * browser's cache has or waits for.
 */
export async function compile(url: string, pastCache: boolean, signal: AbortSignal | undefined): Promise<WebAssembly.Module> {
  if (typeof WebAssembly === "undefined") {
    throw cannotRun();
  }
  if (url.startsWith("file:")) {
    return compileBytes(url, readFile(url));
  }
  try {
    const response = await fetch(url, { credentials: "same-origin", signal: signal ?? null, cache: pastCache ? "reload" : "default" });
    if (!response.ok) {
      throw coreError(`${url} answered ${response.status}`, undefined, /408|429|5../.test(`${response.status}`));
    }
    const type = response.headers.get("content-type");
    if (type?.startsWith("text/html")) {
      throw coreError(`${url} is a web page (HTML)`);
    }
    return await (type === "application/wasm"
      ? explained(url, () => WebAssembly.compileStreaming(response))
      : compileBytes(url, await response.arrayBuffer()));
  } catch (cause) {
    const reason: unknown = cause instanceof APIError ? cause.cause : cause;
    if (cause instanceof APIError && !(reason instanceof TypeError)) {
      throw cause;
    }
    // The download failed, or ended while it was compiled.
    throw coreError(`${url} could not be fetched`, reason, true);
  }
}

/** Reads a file if there is no fetch for it: Node, Deno and Bun. */
function readFile(url: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(globalThis.process.getBuiltinModule("node:fs").readFileSync(resolved(url)));
  } catch (cause) {
    throw coreError(`${url} cannot be read`, cause);
  }
}

function compileBytes(url: string, bytes: BufferSource): Promise<WebAssembly.Module> {
  return explained(url, () => WebAssembly.compile(bytes));
}

/** Makes an instance of a module. */
export function instantiate(module: WebAssembly.Module, imports: WebAssembly.Imports): Promise<WebAssembly.Instance> {
  return explained("chatsdk.wasm", () => WebAssembly.instantiate(module, imports));
}

/** Says why a module cannot be compiled. If a policy forbids it, WebKit throws only when it is instantiated. */
async function explained<T>(url: string, compile: () => Promise<T>): Promise<T> {
  try {
    return await compile();
  } catch (cause) {
    // Chromium and WebKit name the missing source, Firefox says "blocked by CSP".
    throw /unsafe-eval|CSP/.test(String(cause))
      ? cannotRun(cause)
      : coreError(`${url} cannot be compiled`, cause);
  }
}

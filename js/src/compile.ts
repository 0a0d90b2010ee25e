import { coreError } from "./errors.js";

/** The build that a script tag loads, which no bundler sees. */
declare const SCRIPT: boolean;

/** What to do about a module that cannot be had. */
export const help = `set wasmURL to where chatsdk.wasm of the same version is served${
  SCRIPT
    ? ""
    : ' (Vite: put "chatsdk" into optimizeDeps.exclude; Next.js: into serverExternalPackages; esbuild, Rollup: copy it; ' +
      'Angular: "assets": [{ "glob": "chatsdk.wasm", "input": "node_modules/chatsdk/dist", "output": "/" }]; ' +
      'Bun: import wasmURL from "chatsdk/chatsdk.wasm" with { type: "file" }; Parcel: import wasmURL from "url:chatsdk/dist/chatsdk.wasm")'
}`;

/** Fetches and compiles the module, while it comes where the server lets us. */
export async function compile(url: string): Promise<WebAssembly.Module> {
  if (url.startsWith("file:")) {
    return compileBytes(url, readFile(url));
  }
  const response = await fetch(url, { credentials: "same-origin" }).catch((cause: unknown) => {
    throw coreError(`${url} could not be fetched; ${help}, and allow it in the page's connect-src and, from another origin, by CORS`, cause);
  });
  if (!response.ok) {
    throw coreError(`${url} answered ${response.status}; ${help}`);
  }
  if (response.headers.get("content-type") === "application/wasm") {
    return explained(url, () => WebAssembly.compileStreaming(response));
  }
  return compileBytes(url, new Uint8Array(await response.arrayBuffer()));
}

/** Reads a file where there is no fetch for it: Node, Deno and Bun. */
function readFile(url: string): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(globalThis.process.getBuiltinModule("node:fs").readFileSync(new URL(url)));
  } catch (cause) {
    throw coreError(`${url} cannot be read; ${help}`, cause);
  }
}

async function compileBytes(url: string, bytes: Uint8Array<ArrayBuffer>): Promise<WebAssembly.Module> {
  if (bytes[0] === 0 && bytes[1] === 0x61 && bytes[2] === 0x73 && bytes[3] === 0x6d) {
    return explained(url, () => WebAssembly.compile(bytes));
  }
  const html = String.fromCharCode(...bytes.subarray(0, 64)).trimStart().startsWith("<");
  throw coreError(`${url} is ${html ? "a web page (HTML)" : "no WebAssembly"}; ${help}`);
}

/** Says why a module cannot be compiled. Where a policy forbids it, WebKit throws, and when it is instantiated. */
export async function explained<T>(url: string, compile: () => Promise<T>): Promise<T> {
  try {
    return await compile();
  } catch (cause) {
    // Chromium and WebKit name what is missing, Firefox says "blocked by CSP".
    throw coreError(
      /unsafe-eval|CSP/.test(String(cause))
        ? "the page's Content-Security-Policy forbids WebAssembly; add 'wasm-unsafe-eval' to its script-src"
        : `${url} cannot be compiled; ${help}`,
      cause,
    );
  }
}

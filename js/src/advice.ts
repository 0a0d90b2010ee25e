import type { APIErrorFields } from "./errors.js";

/** What to do about a core that cannot be loaded. It has its own file, because a page that works does not need it. */
export function adviceOn({ code, cause }: APIErrorFields & { readonly cause?: unknown }): string | undefined {
  switch (code) {
    case "NETWORK":
      return "set wasmURL to where chatsdk.wasm of the same version is served, and allow it " +
        `in the page's connect-src and, from another origin, by CORS${bundlers}`;
    case "INTERNAL":
      return cannotRun(cause);
    default:
      return undefined;
  }
}

const bundlers =
  ' (Vite: put "chatsdk" into optimizeDeps.exclude; Next.js: into serverExternalPackages; esbuild, with format esm, and Rollup: copy it; ' +
  'Angular: "assets": [{ "glob": "chatsdk.wasm", "input": "node_modules/chatsdk/dist", "output": "/" }]; ' +
  'Bun: import wasmURL from "chatsdk/chatsdk.wasm" with { type: "file" }; Parcel: import wasmURL from "url:chatsdk/dist/chatsdk.wasm")';

function cannotRun(cause: unknown): string | undefined {
  if (typeof WebAssembly === "undefined") {
    return "this platform has no WebAssembly, which the core needs, so ChatSDK cannot run on it";
  }
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") {
    return 'workerd accepts only a module; give wasmModule, from import wasmModule from "chatsdk/chatsdk.wasm"';
  }
  // Otherwise the core has crashed, or is of another version.
  return cause === undefined ? undefined : "the page's Content-Security-Policy forbids it; add 'wasm-unsafe-eval' to its script-src";
}

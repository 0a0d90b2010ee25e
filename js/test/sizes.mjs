// What a page downloads: bytes after brotli at quality 11.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

/** Most bytes, in KB of 1000, that a file of dist may weigh. */
export const limits = { "chatsdk.wasm": 700, "chatsdk.js": 8, "chatsdk.mjs": 8 };

export function sizeOf(name) {
  const content = readFileSync(new URL(`../../dist/${name}`, import.meta.url));
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const [name, limit] of Object.entries(limits)) {
    console.log(`${name.padEnd(14)} ${(sizeOf(name) / 1000).toFixed(1).padStart(6)} KB of at most ${limit} KB`);
  }
}

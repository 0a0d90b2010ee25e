// What a page downloads: bytes after brotli at quality 11.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

/** The largest size, in KB of 1000 bytes, that a file of dist may have. */
export const limits = { "dist/chatsdk.wasm": 439, "dist/chatsdk.js": 13.9, "dist/chatsdk.mjs": 13.9 };

export function sizeOf(name) {
  const content = readFileSync(new URL(`../../${name}`, import.meta.url));
  return brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }).length;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  for (const name of process.argv.slice(2)) {
    const size = sizeOf(name);
    const limit = limits[name];
    const over = limit !== undefined && size > limit * 1000;
    const line = limit === undefined ? "" : over ? `, OVER the line of ${limit} KB` : ` of at most ${limit} KB`;
    console.log(`${name.padEnd(20)} ${(size / 1000).toFixed(1).padStart(6)} KB${line}`);
    process.exitCode ||= Number(over);
  }
}

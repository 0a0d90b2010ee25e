// Prints which Go packages the bytes of a wasm with names belong to: the code of each package and
// the data, each compressed separately, so the sum is not exactly the whole.
import { readFileSync } from "node:fs";
import { brotliCompressSync, constants } from "node:zlib";

const bytes = readFileSync(process.argv[2]);
let at = 8; // after the magic number and the version

/** An unsigned LEB128 number (WebAssembly Core, section 5.2.2). */
function number() {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return value;
  }
}

function text() {
  const length = number();
  return bytes.toString("utf8", at, (at += length));
}

const sections = new Map();
while (at < bytes.length) {
  const id = bytes[at++];
  const size = number();
  const start = at;
  const name = id === 0 ? text() : id;
  sections.set(name, { start: id === 0 ? at : start, end: start + size });
  at = start + size;
}

/** Imported functions come first in the numbering. */
const imported = WebAssembly.Module.imports(new WebAssembly.Module(bytes)).filter(({ kind }) => kind === "function").length;

function functions() {
  at = sections.get(10).start;
  return Array.from({ length: number() }, () => {
    const size = number();
    return bytes.subarray(at, (at += size));
  });
}

/** Names by number, from subsection 1 of the name section. */
function names() {
  const { start, end } = sections.get("name");
  for (at = start; at < end; ) {
    const id = bytes[at++];
    const size = number();
    if (id === 1) {
      return new Map(Array.from({ length: number() }, () => [number(), text()]));
    }
    at += size;
  }
}

/** The package of a symbol such as "github.com_chatsdk_chatsdk_sdk.__Client_.ask", as the linker writes it. */
function packageOf(symbol = "") {
  const own = symbol.replace(/^github\.com_chatsdk_chatsdk_/, "").replace(/^github\.com_hack_pad_safejs/, "safejs").split(".", 1)[0];
  return own.replace(/^internal_runtime_.*|^runtime.*|^$|^_.*/, "runtime").replaceAll("_", "/");
}

const parts = new Map();
const named = names();
functions().forEach((body, i) => {
  const name = packageOf(named.get(i + imported));
  parts.set(name, [...(parts.get(name) ?? []), body]);
});
const { start, end } = sections.get(11);
parts.set("(data: types, tables, texts)", [bytes.subarray(start, end)]);

const rows = [...parts].map(([name, pieces]) => {
  const whole = Buffer.concat(pieces);
  const brotli = brotliCompressSync(whole, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: whole.length } });
  return { name, raw: whole.length, brotli: brotli.length };
});
const kb = (n) => (n / 1000).toFixed(1).padStart(8);
console.log(`${"part".padEnd(30)}   raw KB   brotli KB`);
for (const { name, raw, brotli } of rows.sort((a, b) => b.brotli - a.brotli).filter(({ brotli }) => brotli >= 1000)) {
  console.log(`${name.padEnd(30)} ${kb(raw)} ${kb(brotli)}`);
}
const rest = rows.filter(({ brotli }) => brotli < 1000);
console.log(`${`${rest.length} more`.padEnd(30)} ${kb(rest.reduce((n, r) => n + r.raw, 0))} ${kb(rest.reduce((n, r) => n + r.brotli, 0))}`);

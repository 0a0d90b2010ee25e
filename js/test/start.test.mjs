// How much of the Go program runs before a page can make its first call. A browser compiles each
// function when it is first called, on the page's own thread, so this is most of a start's time. It
// is counted, not timed: a copy of the wasm has a counter in each function.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";

/** The most functions that a start may call, and the most KB of code in them. */
const most = { functions: 490, kilobytes: 460 };

const kinds = { global: 6, export: 7, code: 10 };

/** A number as WebAssembly writes it (LEB128). */
function number(value) {
  const bytes = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) {
      return Buffer.from([...bytes, rest]);
    }
    bytes.push((rest % 128) | 128);
  }
}

class Reader {
  at = 0;

  constructor(bytes) {
    this.bytes = bytes;
  }

  number() {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
      if (byte < 128) {
        return value;
      }
    }
  }

  take(length) {
    return this.bytes.subarray(this.at, (this.at += length));
  }

  rest() {
    return this.bytes.subarray(this.at);
  }
}

/** Returns a copy of a module with a global "ran0", "ran1" … for each function, and how many bytes each function has. */
function counted(file) {
  const reader = new Reader(file);
  const parts = [reader.take(8)];
  const sections = [];
  while (reader.at < file.length) {
    const kind = reader.number();
    sections.push({ kind, body: reader.take(reader.number()) });
  }
  const body = (kind) => new Reader(sections.find((section) => section.kind === kind).body);
  const code = body(kinds.code);
  const functions = Array.from({ length: code.number() }, () => code.take(code.number()));
  const globals = body(kinds.global);
  const first = globals.number();
  const exported = body(kinds.export);
  const changed = {
    [kinds.global]: [number(first + functions.length), globals.rest(), ...functions.map(() => Buffer.from([0x7f, 1, 0x41, 0, 0x0b]))],
    [kinds.export]: [number(exported.number() + functions.length), exported.rest(), ...functions.map((_, i) => {
      const name = Buffer.from(`ran${i}`);
      return Buffer.concat([number(name.length), name, Buffer.from([3]), number(first + i)]);
    })],
    [kinds.code]: [number(functions.length), ...functions.map((content, i) => {
      const locals = new Reader(content);
      for (let left = locals.number(); left > 0; left--) {
        locals.number();
        locals.take(1);
      }
      // i32.const 1, global.set
      const mark = Buffer.concat([Buffer.from([0x41, 1, 0x24]), number(first + i)]);
      const whole = Buffer.concat([content.subarray(0, locals.at), mark, locals.rest()]);
      return Buffer.concat([number(whole.length), whole]);
    })],
  };
  for (const { kind, body } of sections) {
    const content = changed[kind] ? Buffer.concat(changed[kind]) : body;
    parts.push(number(kind), number(content.length), content);
  }
  return { module: new WebAssembly.Module(Buffer.concat(parts)), sizes: functions.map((content) => content.length) };
}

test(`a start calls at most ${most.functions} functions with ${most.kilobytes} KB of code`, async () => {
  const { module, sizes } = counted(readFileSync(new URL("../../dist/chatsdk.wasm", import.meta.url)));
  const { instantiate } = WebAssembly;
  let program;
  WebAssembly.instantiate = async (...args) => (program = await instantiate(...args));
  await ChatSDK.preload({ wasmModule: module });
  WebAssembly.instantiate = instantiate;
  const ran = sizes.filter((_, i) => program.exports[`ran${i}`].value);
  const bytes = ran.reduce((sum, size) => sum + size, 0);
  assert.ok(ran.length > 100, `only ${ran.length} functions were counted`);
  assert.ok(ran.length <= most.functions && bytes <= most.kilobytes * 1000, `it calls ${ran.length} functions with ${bytes} bytes`);
});

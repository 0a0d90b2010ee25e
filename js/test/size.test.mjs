import assert from "node:assert/strict";
import { test } from "node:test";

import { limits, sizeOf } from "./sizes.mjs";

for (const [name, limit] of Object.entries(limits)) {
  test(`${name} is at most ${limit} KB after brotli`, () => {
    const size = sizeOf(name);
    assert.ok(size <= limit * 1000, `it has ${size} bytes`);
  });
}

// The chat page's copy of markdown-it equals the package in the lock file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const read = (path) => readFile(new URL(`../../${path}`, import.meta.url), "utf8");
const folder = "examples/01-script-tag/markdown-it";
const name = "markdown-it.esm.min.mjs";

test("the page's markdown-it is the package's", async () => {
  assert.equal(await read(`${folder}/${name}`), await read(`node_modules/markdown-it/dist/browser/${name}`));
});

test("the licences of everything in it are beside it", async () => {
  const [licences, { packages }] = [await read(`${folder}/LICENSE`), JSON.parse(await read("package-lock.json"))];
  const bundled = Object.keys(packages["node_modules/markdown-it"].dependencies).filter((part) => part !== "argparse"); // only the command line needs it
  for (const part of ["markdown-it", ...bundled]) {
    assert.ok(licences.includes(`${part} ${packages[`node_modules/${part}`].version}\n`), part);
  }
});

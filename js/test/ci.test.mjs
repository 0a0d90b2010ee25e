// The steps of CI, with a make that does nothing.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "chatsdk-ci-"));
after(() => rmSync(folder, { recursive: true }));
const make = execFileSync("sh", ["-c", "command -v make"], { encoding: "utf8" }).trim();
writeFileSync(join(folder, "make"), `#!/bin/sh\n[ "$1" = stages ] && exec "${make}" stages\n[ "$1" != "$FAILS" ] || exit 7\n`, { mode: 0o755 });

/** Runs CI with a failing target, and returns its exit code and the names in its table. */
function ci(fails) {
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, FAILS: fails };
  delete env.MAKEFLAGS; // set by the make that runs this test
  delete env.MAKELEVEL;
  const { status, stdout } = spawnSync(join(root, ".ci/run"), { env, encoding: "utf8" });
  const [, table] = stdout.split("minutes\n");
  return [status, ...table.trimEnd().split("\n").map((line) => line.match(/^ +\d+:\d\d  (.+)$/)[1])];
}

const stages = ["format", "vet", "lint-types", "test-go", "test-core", "test-browser"];

test("CI prints the minutes of each target", () => {
  assert.deepEqual(ci(""), [0, ...stages, "test-worker", "package", "test-bundlers", "in all"]);
});

test("also when one fails, whose exit code it ends with", () => {
  assert.deepEqual(ci("lint-types"), [7, "format", "vet", "lint-types failed", "in all"]);
});

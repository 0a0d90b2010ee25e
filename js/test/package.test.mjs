// What is in the tarball that users install.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const tarball = fileURLToPath(new URL("../../.build/chatsdk.tgz", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "chatsdk-package-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync("tar", ["-xzf", tarball, "-C", folder]);
const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n").map((path) => path.replace(/^package\//, ""));
const read = (name) => readFileSync(join(folder, "package", name), "utf8");
const manifest = JSON.parse(read("package.json"));

test("nothing else is installed, and nothing runs at the installation", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.optionalDependencies, undefined);
  assert.equal(manifest.scripts, undefined);
  for (const [peer, versions] of Object.entries(manifest.peerDependencies ?? {})) {
    assert.equal(versions, "*", `npm refuses a project with another ${peer}, though it is optional`);
    assert.equal(manifest.peerDependenciesMeta?.[peer]?.optional, true, `${peer} is installed with the package`);
  }
});

test("every file that package.json names is in it, and no source or test", () => {
  const named = [manifest.types, manifest.unpkg, manifest.jsdelivr, ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry)))];
  for (const name of [...named, "README.md", "LICENSE", "CHANGELOG.md"]) {
    assert.ok(existsSync(join(folder, "package", name)), `${name} is missing`);
  }
  for (const name of files) {
    assert.match(name, /^(dist\/[\w.-]+|README\.md|LICENSE|CHANGELOG\.md|package\.json)$/);
  }
});

test("every script has a source map that holds its sources", () => {
  const scripts = files.filter((name) => /\.m?js$/.test(name));
  assert.ok(scripts.includes("dist/chatsdk.mjs") && scripts.includes("dist/chatsdk.js"));
  for (const name of scripts) {
    assert.match(read(name), new RegExp(`\n//# sourceMappingURL=${name.slice("dist/".length)}\\.map\n$`));
    const map = JSON.parse(read(`${name}.map`));
    assert.equal(map.sourcesContent.length, map.sources.length);
    assert.ok(map.sourcesContent.every((text) => text.length > 0));
  }
});

test("the script tag and its worker are what has effects when it is imported", () => {
  for (const name of manifest.sideEffects) {
    assert.ok(existsSync(join(folder, "package", name)), `${name} is missing`);
  }
  assert.ok(manifest.sideEffects.includes("./dist/chatsdk.js"));
});

test("importing it touches nothing: no network, no global, no timer", () => {
  const program = `
    const before = Object.getOwnPropertyNames(globalThis).sort().join();
    for (const name of ["fetch", "setTimeout", "document", "window", "Worker", "XMLHttpRequest"]) {
      Object.defineProperty(globalThis, name, { configurable: true, get() { throw new Error(name + " was touched"); } });
    }
    await import(process.argv[1]);
    for (const name of ["document", "window", "Worker", "XMLHttpRequest"]) delete globalThis[name];
    if (Object.getOwnPropertyNames(globalThis).sort().join() !== before) throw new Error("it made globals");
  `;
  execFileSync(process.execPath, ["--input-type=module", "-e", program, join(folder, "package/dist/chatsdk.mjs")]);
});

test("require takes it where Node requires ES modules", { skip: !process.features.require_module }, () => {
  const { ChatSDK, APIError } = createRequire(import.meta.url)(join(folder, "package/dist/chatsdk.mjs"));
  assert.equal(new APIError("x", { status: 1 }) instanceof ChatSDK.APIError, true);
});

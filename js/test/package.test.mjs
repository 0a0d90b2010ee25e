// The contents of the tarball that users install.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tarball = join(root, ".build/chatsdk.tgz");
const folder = mkdtempSync(join(tmpdir(), "chatsdk-package-"));
after(() => rmSync(folder, { recursive: true }));
execFileSync("tar", ["-xzf", tarball, "-C", folder]);
const filesOf = (packed) => execFileSync("tar", ["-tzf", packed], { encoding: "utf8" }).trim().split("\n").map((path) => path.replace(/^package\//, "")).sort();
const files = filesOf(tarball);
const read = (name) => readFileSync(join(folder, "package", name), "utf8");
const manifest = JSON.parse(read("package.json"));

test("nothing else is installed, and nothing runs during installation", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.optionalDependencies, undefined);
  assert.deepEqual(Object.keys(manifest.scripts), ["prepack"], "npm runs prepack when the package is packed or published, never when it is installed");
  for (const [peer, versions] of Object.entries(manifest.peerDependencies ?? {})) {
    assert.equal(versions, "*", `npm refuses a project with another ${peer}, though it is optional`);
    assert.equal(manifest.peerDependenciesMeta?.[peer]?.optional, true, `${peer} is installed with the package`);
  }
});

test("its page on npm links to the project, and the README's links lead to the project's files", () => {
  assert.equal(manifest.author, "The ChatSDK authors");
  assert.equal(manifest.homepage, "https://github.com/chatsdk/chatsdk#readme");
  assert.equal(manifest.bugs.url, "https://github.com/chatsdk/chatsdk/issues");
  assert.deepEqual(manifest.repository, { type: "git", url: "git+https://github.com/chatsdk/chatsdk.git" });
  const links = [...read("README.md").matchAll(/\]\(([^)#]+)/g)].map(([, link]) => link).filter((link) => !/^[a-z]+:/.test(link));
  assert.ok(links.length > 0);
  const tracked = execFileSync("git", ["ls-files", ...links], { cwd: root, encoding: "utf8" }).trim().split("\n");
  assert.deepEqual(tracked, [...new Set(links)].sort());
});

test("no file is executable", () => {
  for (const name of files) {
    assert.equal((statSync(join(folder, "package", name)).mode & 0o777).toString(8), "644", name);
  }
});

test("it has the licences of what it contains: Go's, and those of the modules whose files the wasm named when it was linked", () => {
  const notices = read("dist/THIRD-PARTY-NOTICES");
  const go = (...args) => execFileSync("go", args, { cwd: root, encoding: "utf8" }).trim();
  const [goroot, version] = go("env", "GOROOT", "GOVERSION").split("\n");
  const named = readFileSync(join(root, ".build/linked.wasm"), "latin1").match(/[\w.-]+(\/[\w.-]+)+@v\d[\w.+-]*/g);
  const folders = [...new Set(named)].map((module) => [module.replace("@", " "), go("list", "-m", "-f", "{{.Dir}}", module.split("@")[0])]);
  assert.ok(folders.some(([name]) => name.startsWith("github.com/hack-pad/safejs ")));
  for (const [name, place] of [[version.replace("go", "Go "), goroot], ...folders]) {
    assert.ok(notices.includes(name), `${name} is missing`);
    assert.ok(notices.includes(readFileSync(join(place, "LICENSE"), "utf8").trim()), `the licence of ${name} is missing`);
  }
});

test("a module without a licence fails the build and is named", () => {
  const [goroot, unlicensed] = ["goroot", "unlicensed"].map((name) => join(folder, name));
  mkdirSync(goroot);
  mkdirSync(unlicensed);
  writeFileSync(join(goroot, "LICENSE"), "As you like.");
  const go = `#!/bin/sh\nif [ "$1" = env ]; then echo "${goroot}"; echo go1.26.0; else printf 'example.com/free v1.0.0\\t%s' "${unlicensed}"; fi\n`;
  writeFileSync(join(folder, "go"), go, { mode: 0o755 });
  const { status, stderr } = spawnSync(process.execPath, [join(root, "js/build/notices.mjs"), join(folder, "notices")], {
    cwd: root, encoding: "utf8", env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
  });
  assert.equal(stderr, `notices: ${unlicensed} of example.com/free v1.0.0 has no LICENSE file; the package may not go out without it\n`);
  assert.equal(status, 1);
  assert.ok(!existsSync(join(folder, "notices")));
});

test("npm pack builds what it packs", () => {
  const clone = join(folder, "clone");
  const tracked = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const name of tracked.filter((name) => existsSync(join(root, name)))) {
    mkdirSync(join(clone, dirname(name)), { recursive: true });
    cpSync(join(root, name), join(clone, name), { preserveTimestamps: true });
  }
  symlinkSync(join(root, "node_modules"), join(clone, "node_modules"));
  execFileSync("npm", ["pack"], { cwd: clone, stdio: "pipe" });
  assert.deepEqual(filesOf(join(clone, `chatsdk-${manifest.version}.tgz`)), filesOf(tarball));
});

test("every file that package.json names is in it, and no source or test", () => {
  const named = [manifest.types, manifest.main, manifest.module, manifest.unpkg, manifest.jsdelivr, ...Object.values(manifest.exports).flatMap((entry) => (typeof entry === "string" ? entry : Object.values(entry)))];
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

test("the files with side effects exist, and the script tag's is one of them", () => {
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

test("require loads it where Node can require ES modules", { skip: !process.features.require_module }, () => {
  const { ChatSDK, APIError } = createRequire(import.meta.url)(join(folder, "package/dist/chatsdk.mjs"));
  assert.equal(new APIError("x", { status: 1 }) instanceof ChatSDK.APIError, true);
});

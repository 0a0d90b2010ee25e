// Writes the licences of the foreign code in chatsdk.wasm and the scripts: Go's runtime and loader,
// and each module that the program links.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const go = (args, env) => execFileSync("go", args, { encoding: "utf8", env: { ...process.env, ...env } }).trim().split("\n");
const linked = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}";

const [goroot, version] = go(["env", "GOROOT", "GOVERSION"]);
const modules = go(["list", "-deps", "-f", linked, "./wasm"], { GOOS: "js", GOARCH: "wasm" });
const parts = [[`Go ${version.replace("go", "")}: its runtime, standard library and wasm_exec.js`, goroot]];
for (const module of [...new Set(modules)].sort()) {
  parts.push(module.split("\t"));
}

/** The licence in a folder, with its notices. */
function licence(name, folder) {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)(\.\w+)?$/i.test(file));
  if (!files.some((file) => !/^notice/i.test(file))) {
    console.error(`notices: ${folder} of ${name} has no LICENSE file; the package may not go out without it`);
    process.exit(1);
  }
  return files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
}

const line = "=".repeat(78);
const texts = parts.map(([name, folder]) => `${line}\n${name}\n${line}\n\n${licence(name, folder)}\n`);
writeFileSync(process.argv[2], `The files of this package contain parts of other projects, under these licences.\n\n${texts.join("\n")}`);

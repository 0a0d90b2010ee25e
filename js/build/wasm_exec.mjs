// Makes .build/wasm_exec.mjs of the toolchain's loader: with a scope of ours in
// the place of the global object (see scope in js/src/load.ts), and without what
// our program does not use. A loader that reads differently fails the build.
import { readFileSync, writeFileSync } from "node:fs";

const [from, wasm, to] = process.argv.slice(2);
const imports = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(wasm))).map(({ name }) => name);
let text = readFileSync(from, "utf8");

function replace(what, by) {
  const replaced = text.replace(what, by);
  if (replaced === text) {
    throw new Error(`${from} has nothing like ${what}; see what changed there and adapt ${process.argv[1]}`);
  }
  text = replaced;
}

// What the scope has, and what Go asks for first when files are used.
replace(/\tif \(!globalThis\.fs\) [^]*?(?=\tconst encoder)/, "");
replace(/\tconst enosys = [^]*?\n\t};\n/, "");
// No arguments and no environment: the end of both is a null pointer.
replace(/\t\t\t\/\/ Pass command line [^]*?(?=\t\t\tthis\._inst\.exports\.run)/, "");
replace("run(argc, argv)", "run(0, 4096)");
replace(/\t\t\tthis\.(argv|env) = [^;]*;\n/g, "");
// What js/src/load.ts sees to.
replace(/\t\t\tthis\.exit = [^]*?\n\t\t\t};\n/, "");
replace(/\t\t\tif \(!\(instance instanceof [^]*?\n\t\t\t}\n/, "");
// What only the toolchain's own tests import.
replace(/\t\t\t\t_gotest: [^]*?\n\t\t\t\t},\n/, "");
replace(/\t\t\tconst testCallExport = [^]*?\n\t\t\t}\n/, "");
replace(/\t{5}"([\w./]+)": \((?:sp|value)\) => [^]*?\n\t{5}},\n/g, (all, name) => (imports.includes(name) ? all : ""));

writeFileSync(to, `export function loader(globalThis) { const { fs, TextDecoder } = globalThis;\n${text}\nreturn globalThis.Go; }\n`);

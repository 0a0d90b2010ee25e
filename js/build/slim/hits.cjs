// Node, with --require: writes which functions of a counting wasm have run into a file of the folder HITS, one number a line. The file is
// named after the number of functions. See js/build/slim/coverage.sh.
const { appendFileSync, mkdirSync } = require("node:fs");

const instances = new Set();
const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const result = await instantiate(...args);
  instances.add(result.instance ?? result);
  return result;
};
process.on("exit", () => {
  mkdirSync(process.env.HITS, { recursive: true });
  for (const { exports } of instances) {
    const ran = Object.entries(exports).filter(([name, global]) => name.startsWith("calls ") && global.value > 0);
    const functions = Object.keys(exports).filter((name) => name.startsWith("calls ")).length;
    appendFileSync(`${process.env.HITS}/${functions}`, ran.map(([name]) => `${name.slice(6)}\n`).join(""));
  }
});

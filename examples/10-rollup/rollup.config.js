import { readFileSync } from "node:fs";

import { nodeResolve } from "@rollup/plugin-node-resolve";

/** Copies chatsdk.wasm to the bundle's folder, where the SDK looks for it. */
const wasm = {
  name: "chatsdk.wasm",
  generateBundle() {
    const source = readFileSync(new URL(import.meta.resolve("chatsdk/chatsdk.wasm")));
    this.emitFile({ type: "asset", fileName: "chatsdk.wasm", source });
  },
};

export default {
  input: "main.js",
  output: { dir: "dist" },
  plugins: [nodeResolve(), wasm],
};

// Joins the declarations of the public modules into one file, which stands
// beside chatsdk.mjs and needs no other. What is not public is marked @internal
// and left out by tsc (stripInternal); a test type-checks the result alone.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to] = process.argv.slice(2);
const parts = ["errors", "types", "options", "stream", "client"].map((name) =>
  readFileSync(`${from}/${name}.d.ts`, "utf8")
    .replace(/^import [^;]*;\n/gm, "")
    .replace(/^export \{\};\n/gm, ""),
);
writeFileSync(to, parts.join(""));

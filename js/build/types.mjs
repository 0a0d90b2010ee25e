// Joins the declarations of an entry's modules into one file, which stands in
// dist and needs none but other packages. What is not public is marked @internal
// and left out by tsc (stripInternal); a test type-checks the result alone.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to, ...modules] = process.argv.slice(2);
const parts = modules.map((name) =>
  readFileSync(`${from}/${name}.d.ts`, "utf8")
    .replace(/^(?:import|export) [^;]*from "\.[^;]*;\n/gm, "")
    .replace(/^export \{\};\n/gm, ""),
);
writeFileSync(to, parts.join(""));

// Joins the declarations of an entry's modules into one file in dist, which needs only other
// packages. tsc leaves out what is marked @internal (stripInternal). A test type-checks the result
// by itself.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to, ...modules] = process.argv.slice(2);
const named = new Map();
const parts = modules.map((name) =>
  readFileSync(`${from}/${name}.d.ts`, "utf8")
    .replace(/^(import|export) [^;]*from "\.[^;]*;\n/gm, "")
    .replace(/^import type \{([^}]*)\} from ("[^"]*");\n/gm, (_, names, module) => {
      named.set(module, new Set([...(named.get(module) ?? []), ...names.split(",").map((one) => one.trim())]));
      return "";
    })
    .replace(/^export \{\};\n/gm, ""),
);
// Several modules import the same names, but a file may do so only once.
const imports = [...named].map(([module, names]) => `import type { ${[...names].sort().join(", ")} } from ${module};\n`);
writeFileSync(to, [...imports, ...parts].join(""));

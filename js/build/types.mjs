// Joins the declarations of an entry's modules into one file, which stands in
// dist and needs none but other packages. What is not public is marked @internal
// and left out by tsc (stripInternal); a test type-checks the result alone.
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
// Modules import the same names, a file may only once.
const imports = [...named].map(([module, names]) => `import type { ${[...names].sort().join(", ")} } from ${module};\n`);
writeFileSync(to, [...imports, ...parts].join(""));

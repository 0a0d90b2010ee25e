// Joins the declarations of an entry's modules into one file in dist, which needs only other
// packages. tsc leaves out what is marked @internal (stripInternal). A test type-checks the result
// by itself.
import { readFileSync, writeFileSync } from "node:fs";

const [from, to, ...modules] = process.argv.slice(2);
const named = new Map();
const textOf = (name) => readFileSync(`${from}/${name}.d.ts`, "utf8");
/** Classes of which the entry exports only the type. */
const index = textOf(modules.find((name) => name.endsWith("/index")) ?? "index");
const typesOnly = [...index.matchAll(/^export \{ type (\w+) \} /gm)].map(([, name]) => name);
/** The comments of the methods of interfaces, by name; not every tool looks for them there. */
const comments = new Map();
const described = modules.filter((one) => one.endsWith("-methods")).map(textOf).join("");
for (const [, comment, name] of described.matchAll(/^( {4}\/\*\*(?:(?!\*\/)[^])*\*\/\n) {4}(\w+)\(/gm)) {
  comments.set(name, [...(comments.get(name) ?? []), comment]);
}
const parts = modules.map((name) =>
  textOf(name)
    .replace(/^export (declare class (\w+))/gm, (all, rest, of) => (typesOnly.includes(of) ? rest : all))
    .replace(/(?<!\*\/\n)^ {4}(\w+)\(/gm, (member, of) => (comments.get(of)?.shift() ?? "") + member)
    .replace(/^(import|export) [^;]*from "\.[^;]*;\n/gm, "")
    .replace(/^import type \{([^}]*)\} from ("[^"]*");\n/gm, (_, names, module) => {
      named.set(module, new Set([...(named.get(module) ?? []), ...names.split(",").map((one) => one.trim())]));
      return "";
    })
    .replace(/^export \{\};\n/gm, ""),
);
// Several modules import the same names, but a file may do so only once.
const imports = [...named].map(([module, names]) => `import type { ${[...names].sort().join(", ")} } from ${module};\n`);
// Without an export list, a file of declarations exports all that it declares.
writeFileSync(to, [...imports, ...parts, `export { ${typesOnly.map((name) => `type ${name}`).join(", ")} };\n`].join(""));

// Writes index.html and main.js into dist, and replaces each {NAME} with the hash of that file in the package.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

function integrity(name) {
  const file = new URL(import.meta.resolve(`chatsdk/${name}`));
  return `sha384-${createHash("sha384").update(readFileSync(file)).digest("base64")}`;
}

mkdirSync("dist", { recursive: true });
for (const file of ["index.html", "main.js"]) {
  const text = readFileSync(file, "utf8");
  writeFileSync(`dist/${file}`, text.replace(/\{(chatsdk\.\w+)\}/g, (_, name) => integrity(name)));
}

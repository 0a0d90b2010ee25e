// Writes dist/index.html, with the hashes of the package's files for {NAME}.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

function integrity(name) {
  const file = new URL(import.meta.resolve(`chatsdk/${name}`));
  return `sha384-${createHash("sha384").update(readFileSync(file)).digest("base64")}`;
}

const page = readFileSync("index.html", "utf8");
mkdirSync("dist", { recursive: true });
writeFileSync("dist/index.html", page.replace(/\{(chatsdk\.\w+)\}/g, (_, name) => integrity(name)));

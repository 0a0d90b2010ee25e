// Prints the files that a page loads by address with their hashes, for the
// integrity attribute of a script tag (W3C Subresource Integrity) and of a fetch.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

for (const name of process.argv.slice(2)) {
  console.log(`${name.padEnd(20)} sha384-${createHash("sha384").update(readFileSync(name)).digest("base64")}`);
}

// Puts the console's static files into a folder: the page of examples/03-memory-console,
// its bundled script, and the SDK beside it. PROJECT and SERVICE in the environment go
// into settings.json, and SERVICE into the page's policy, so that a page from another
// origin may call the service.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";

const page = "examples/03-memory-console";
const sdk = ["mjs", "advice.mjs", "token.mjs", "upload.mjs", "wasm"].map((part) => `chatsdk.${part}`);
const [bundle, folder] = process.argv.slice(2);
const { PROJECT: project, SERVICE: service } = process.env;

/** Replaces a text everywhere, and fails if it does not occur this many times. */
function replaced(text, what, by, times = 1) {
  if (text.split(what).length !== times + 1) {
    throw new Error(`${JSON.stringify(what)} occurs ${text.split(what).length - 1} times in the console, want ${times}`);
  }
  return text.replaceAll(what, by);
}

/** The origin of the service. A policy names nothing else. */
function originOf(address) {
  const { protocol, origin, search, hash } = URL.canParse(address) ? new URL(address) : {};
  if (!/^https?:$/.test(protocol) || search || hash) {
    throw new Error(`SERVICE is ${JSON.stringify(address)}, want an address such as https://chat.example/`);
  }
  return origin;
}

const calls = service ? `connect-src 'self' ${originOf(service)}` : "connect-src 'self'";
const html = replaced(readFileSync(`${page}/index.html`, "utf8"), "connect-src 'self'", calls);
const settings = { ...(project && { project_id: project }), ...(service && { service: service.replace(/\/*$/, "/") }) };

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
writeFileSync(`${folder}/index.html`, replaced(html, '"/dist/chatsdk.wasm"', '"chatsdk.wasm"'));
writeFileSync(`${folder}/settings.json`, `${JSON.stringify(settings)}\n`);
writeFileSync(`${folder}/console.js`, replaced(readFileSync(bundle, "utf8"), '"/dist/chatsdk.mjs"', '"./chatsdk.mjs"'));
copyFileSync(`${page}/console.css`, `${folder}/console.css`);
for (const name of sdk) {
  copyFileSync(`dist/${name}`, `${folder}/${name}`);
}

// Checks each link of the built pages: the file must exist, and the anchor in it. Returns what is wrong.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * @param {string} folder of the built site
 * @param {string} base the site's path, such as /docs/
 * @returns {Promise<string[]>}
 */
export async function checkLinks(folder, base) {
  const files = (await readdir(folder, { recursive: true })).map((file) => file.replaceAll("\\", "/"));
  const pages = new Map();
  for (const file of files.filter((file) => file.endsWith(".html"))) pages.set(file, await readPage(join(folder, file)));
  const wrong = [];
  for (const [file, { links }] of pages) {
    for (const link of links) {
      const problem = problemOf(new URL(link, `http://site${base}${file}`), base, files, pages);
      if (problem) wrong.push(`${file} links to ${link}: ${problem}`);
    }
  }
  return wrong;
}

async function readPage(path) {
  const html = await readFile(path, "utf8");
  const all = (pattern) => new Set([...html.matchAll(pattern)].map((match) => decode(match[1])));
  return { links: all(/\s(?:href|src)="([^"]*)"/g), ids: all(/\sid="([^"]*)"/g) };
}

const decode = (text) => text.replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

function problemOf(url, base, files, pages) {
  if (url.origin !== "http://site") return "";
  if (!url.pathname.startsWith(base)) return `it is not below ${base}`;
  const file = decodeURIComponent(url.pathname.slice(base.length)).replace(/(^|\/)$/, "$1index.html");
  if (!files.includes(file)) return "there is no such file";
  const anchor = decodeURIComponent(url.hash.slice(1));
  return anchor === "" || pages.get(file)?.ids.has(anchor) ? "" : "there is no such anchor";
}

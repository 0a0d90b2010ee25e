// Links to files of the repository become text with the file's path: the site does not hold these files, and has no address of the repository.

import { existsSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

const isOutside = (href) => !/^(?:[a-z]+:|#|\/)/i.test(href);

/**
 * A plugin of markdown-it.
 *
 * @param {import("markdown-it").default} md
 * @param {{ root: string, docs: string }} folders the repository, and the pages in it
 */
export function filesAsText(md, { root, docs }) {
  md.core.ruler.push("files-as-text", ({ tokens, env }) => {
    for (const { children } of tokens) replaceLinks(children ?? [], (href) => pathOf(href, env, root, docs));
  });
}

// pathOf returns the path of a file that is not a page, and undefined for any other link.
function pathOf(href, env, root, docs) {
  if (!isOutside(href)) return undefined;
  const page = env.path ?? join(docs, "index.md");
  const file = resolve(dirname(page), decodeURI(href.replace(/[?#].*$/, "")));
  if (dirname(file) === docs && file.endsWith(".md")) return undefined;
  if (!existsSync(file)) throw new Error(`${relative(root, page)} links to ${href}, which does not exist`);
  return relative(root, file);
}

function replaceLinks(tokens, find) {
  let path, text;
  for (const token of tokens) {
    if (token.type === "link_open") {
      [path, text] = [find(token.attrGet("href") ?? ""), ""];
      if (path) toText(token, "");
    } else if (token.type === "link_close" && path) {
      toText(token, text === path ? "" : ` (${path})`);
      path = undefined;
    } else if (path) text += token.content;
  }
}

function toText(token, content) {
  Object.assign(token, { type: "text", tag: "", nesting: 0, content, attrs: null });
}

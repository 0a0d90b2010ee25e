// The site of the pages in docs/, which make docs builds into dist/docs and make demo serves at /docs/.

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { defineConfig } from "vitepress";

import { checkLinks } from "../check.mjs";
import { filesAsText } from "../files.mjs";
import { readList } from "../list.mjs";
import { slug } from "../slug.mjs";

const folder = (path) => fileURLToPath(new URL(path, import.meta.url)).replace(/\/$/, "");
const docs = folder("../..");
const base = "/docs/";

const sidebar = readList(readFileSync(`${docs}/index.md`, "utf8")).map(({ heading, pages }) => ({
  text: heading,
  items: pages.map(({ title, file }) => ({ text: title, link: `/${file.replace(/\.md$/, "")}` })),
}));

// The pages stand above node_modules. What renders them finds Vue from where it runs itself.
const vueOutside = {
  name: "vue-outside",
  enforce: "pre",
  resolveId: (id, _importer, { ssr }) => (ssr && /^vue(?:$|\/)/.test(id) ? { id, external: true } : undefined),
};

export default defineConfig({
  title: "ChatSDK",
  description: "The documentation of ChatSDK",
  lang: "en",
  base,
  srcDir: docs,
  srcExclude: ["site/**"],
  outDir: folder("../../../dist/docs"),
  cacheDir: folder("../../../.build/docs"),
  // The demo forbids inline scripts. metaChunk moves two of them into files, appearance: false leaves one out,
  // and transformHtml removes the last one, whose work the theme does.
  metaChunk: true,
  appearance: false,
  transformHtml: (html) => html.replace(/<script id="check-mac-os">.*?<\/script>/s, ""),
  vite: { plugins: [vueOutside] },
  markdown: {
    languageAlias: { mjs: "js" },
    anchor: { slugify: slug },
    config(md) {
      md.use(filesAsText, { root: folder("../../.."), docs });
      // Vue would evaluate {{ }} in the text of a page.
      const text = md.renderer.rules.text;
      md.renderer.rules.text = (...args) => text(...args).replaceAll("{{", "&#123;&#123;");
    },
  },
  themeConfig: { sidebar, outline: [2, 3], search: { provider: "local" } },
  async buildEnd({ outDir }) {
    const wrong = await checkLinks(outDir, base);
    if (wrong.length > 0) throw new Error(`broken links:\n${wrong.join("\n")}`);
  },
});

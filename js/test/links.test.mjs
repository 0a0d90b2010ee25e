// The links of README.md and of docs/ lead to files and headings that exist, and docs/index.md lists all pages. No page shows a mark of
// Markdown, and no code takes the body of a failed request for a token.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import MarkdownIt from "markdown-it";

import { readList } from "../../docs/site/list.mjs";
import { slug } from "../../docs/site/slug.mjs";

const root = new URL("../../", import.meta.url);
const docs = (await readdir(new URL("docs/", root))).filter((name) => name.endsWith(".md"));
const md = new MarkdownIt({ html: true });
const parse = async (url) => md.parse(await readFile(url, "utf8"), {});
const isRelative = (href) => !/^[a-z]+:/i.test(href);

function linksOf(tokens) {
  const all = tokens.flatMap(({ children }) => children ?? []);
  return all.map((token) => token.attrGet("href") ?? token.attrGet("src")).filter((href) => href !== null && isRelative(href));
}

// A repeated heading gets a number the second time.
function anchorsOf(tokens) {
  const seen = new Map();
  return tokens.flatMap(({ type }, i) => {
    if (type !== "heading_open") return [];
    const anchor = slug(tokens[i + 1].children.map(({ content }) => content).join(""));
    const count = seen.get(anchor) ?? 0;
    seen.set(anchor, count + 1);
    return [count === 0 ? anchor : `${anchor}-${count}`];
  });
}

for (const page of ["README.md", "examples/README.md", ...docs.map((name) => `docs/${name}`)]) {
  test(`the links of ${page}`, async () => {
    const url = new URL(page, root);
    for (const link of linksOf(await parse(url))) {
      const target = new URL(link, url);
      const anchor = decodeURIComponent(target.hash.slice(1));
      target.hash = "";
      assert.ok(existsSync(fileURLToPath(target)), `${link}: there is no such file`);
      if (anchor === "") continue;
      assert.match(target.pathname, /\.md$/, `${link}: only pages have anchors`);
      assert.ok(anchorsOf(await parse(target)).includes(anchor), `${link}: there is no such heading`);
    }
  });
}

test("docs/index.md lists each page once", async () => {
  const listed = readList(await readFile(new URL("docs/index.md", root), "utf8")).flatMap(({ pages }) => pages.map(({ file }) => file));
  assert.deepEqual(listed.toSorted(), docs.filter((name) => name !== "index.md").toSorted());
});

test("examples/README.md has one line for each example, in order", async () => {
  const entries = await readdir(new URL("examples/", root), { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory() && /^\d\d-/.test(entry.name)).map(({ name }) => name);
  const lines = (await readFile(new URL("examples/README.md", root), "utf8")).split("\n").filter((line) => line.startsWith("| ["));
  const listed = lines.map((line) => /^\| \[(\d\d-[a-z-]+)\]\(\1\/README\.md\) \| \S.{19,} \|$/.exec(line)?.[1] ?? line);
  assert.deepEqual(listed, folders.toSorted());
});

// A path begins at the root, at service/internal, at js/src or in the folder of an earlier path of its row. A * stands for any name.
test("each row of the table of docs/architecture.md has two cells, and its files exist", async () => {
  const page = await readFile(new URL("docs/architecture.md", root), "utf8");
  const section = page.slice(page.indexOf("## To change X, open Y")).split("\n## ")[0];
  const lines = section.split("\n").filter((line) => line !== "").slice(3);
  assert.ok(lines.length > 50);
  for (const line of lines) {
    const cells = line.split(/(?<!\\)\|/);
    assert.equal(cells.length, 4, `two cells: ${line}`);
    const folders = ["", "service/internal/", "js/src/", "examples/03-memory-console/"];
    for (const [, name] of cells[2].matchAll(/`([^` ]+)`/g)) {
      if (!/^[\w@./*-]+$/.test(name) || !(name.includes("/") || /\.(go|ts|mjs|js|html|css|sql|json|yaml)$/.test(name))) continue;
      const found = folders.map((folder) => folder + name).find((path) => path.includes("*") || existsSync(new URL(path, root)));
      assert.ok(found !== undefined, `${name}: there is no such file, in: ${line}`);
      folders.unshift(found.slice(0, found.lastIndexOf("/") + 1), `${found}/`);
    }
  }
});

test("docs/decisions.md has at most 7,000 words", async () => {
  const words = (await readFile(new URL("docs/decisions.md", root), "utf8")).split(/\s+/).filter((word) => word !== "");
  assert.ok(words.length <= 7000, `it has ${words.length}: take out what no longer guides a change; git keeps it`);
});

test("each dependency has its line in docs/decisions.md, and no other Go module has", async () => {
  const page = await readFile(new URL("docs/decisions.md", root), "utf8");
  const rows = page.split("\n## ")[1].split("\n").filter((line) => line.startsWith("| ")).slice(2);
  const named = rows.flatMap((row) => row.split("|")[1].replaceAll(/\(.*?\)/g, "").split(",").map((name) => name.trim().split(" ")[0]));

  const module = await readFile(new URL("go.mod", root), "utf8");
  const direct = [...module.matchAll(/^\t(\S+) v\S+$/gm)].map(([, path]) => path);
  const tools = [...module.matchAll(/^tool \(\n([^)]*)\)/gm)].flatMap(([, lines]) => lines.trim().split(/\s+/));
  const own = JSON.parse(await readFile(new URL("package.json", root), "utf8"));
  const covers = (name, path) => path === name || path.startsWith(`${name}/`) || name.startsWith(`${path}/`) || path.endsWith(`/${name}`);
  for (const path of [...direct, ...tools, ...Object.keys({ ...own.devDependencies, ...own.peerDependencies })]) {
    assert.ok(named.some((name) => covers(name, path)), `${path} has no line`);
  }
  for (const name of named.filter((name) => /^[a-z]+(?:\.[a-z]+)+\//.test(name))) {
    assert.ok([...direct, ...tools].some((path) => covers(name, path)), `${name} is no dependency any more`);
  }
});

for (const page of ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md", ...docs.map((name) => `docs/${name}`)]) {
  test(`the marks of ${page} are in pairs`, async () => {
    const texts = (await parse(new URL(page, root))).flatMap(({ children }) => children ?? []).filter(({ type }) => type === "text");
    const stray = texts.map(({ content }) => content).filter((content) => /\*\*|(^|\s)\*(\S|$)|\S\*(\s|$)|`/.test(content));
    assert.deepEqual(stray, []);
  });
}

test("code that requests a token looks at response.ok", async () => {
  const sources = execFileSync("git", ["ls-files", "README.md", "docs", "examples"], { cwd: root, encoding: "utf8" }).trim().split("\n");
  let requests = 0;
  for (const name of sources.filter((one) => /\.(md|m?[jt]sx?|svelte|vue|html)$/.test(one))) {
    const lines = (await readFile(new URL(name, root), "utf8")).split("\n");
    for (const [n, line] of lines.entries()) {
      if (/\bfetch\(.*token["`]/.test(line) && !line.includes("$fetch")) {
        requests += 1;
        assert.match(lines.slice(n, n + 10).join("\n"), /response\.ok/, `${name}:${n + 1}`);
      }
    }
  }
  assert.ok(requests > 20, `only ${requests} were found`);
});

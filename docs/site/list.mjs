// Reads docs/index.md, the one list of all pages: headings of level two group them.

const line = /^## (?<heading>.+)$|\[(?<title>[^\]]+)\]\((?<file>[\w-]+\.md)\)/gm;

/**
 * @param {string} text of docs/index.md
 * @returns {{ heading: string, pages: { title: string, file: string }[] }[]}
 */
export function readList(text) {
  const groups = [];
  for (const { groups: { heading, title, file } } of text.matchAll(line)) {
    if (heading) groups.push({ heading, pages: [] });
    else if (groups.length === 0) throw new Error(`docs/index.md: ${file} has no heading above it`);
    else groups.at(-1).pages.push({ title, file });
  }
  return groups;
}

import MarkdownIt from "./markdown-it/markdown-it.esm.min.mjs";

/** @typedef {import("../../node_modules/markdown-it/dist/markdown-it.d.mts").Token} Token */

/** Nobody nests deeper to be read, and browsers give up on elements that are nested much deeper. */
const maxNesting = 40;

/** HTML in a text stays text, and addresses that don't lead to the web or to a mailbox stay as they were written. */
export const parser = new MarkdownIt({ breaks: true, linkify: true, maxNesting });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.validateLink = (/** @type {string} */ address) => /^(https?:\/\/|mailto:)/i.test(address);

/** What a text says without its marks, for a screen reader. @param {string} markdown */
export function spoken(markdown) {
  return parser.parse(markdown, {}).map(words).filter(Boolean).join("\n");
}

/** @param {Token} token @returns {string} */
function words({ children, content, type }) {
  return children?.map(words).join("") ?? (type.endsWith("break") ? "\n" : content);
}

/** The lines with their ends. @param {string} text @returns {string[]} */
export function linesOf(text) {
  return text.match(/[^\r\n]*(\r\n?|\n)|[^\r\n]+$/g) ?? [];
}

/** A block that stands in no other begins. @param {Token} token */
export function isBlock({ level, nesting }) {
  return level === 0 && nesting >= 0;
}

/** An element for each block. @param {Token[]} tokens @param {string} text */
export function blocks(tokens, text) {
  const all = new DocumentFragment();
  const begins = tokens.flatMap((token, i) => (isBlock(token) ? [i] : []));
  begins.forEach((begin, i) => {
    const block = tokens.slice(begin, begins[i + 1]);
    // The parser drops what is nested deeper.
    const isCut = block.some(({ level, nesting }) => nesting === 1 && level >= maxNesting - 1);
    isCut ? all.append(element("pre", linesOf(text).slice(...(block[0]?.map ?? [])).join(""))) : build(block, all);
    /** @type {HTMLElement} */ (all.lastChild).dir = "auto";
  });
  return all;
}

/** @param {Token[]} tokens @param {ParentNode} root takes their elements */
function build(tokens, root) {
  const open = [root];
  for (const token of tokens) {
    const parent = /** @type {ParentNode} */ (open.at(-1));
    if (token.nesting < 0) {
      open.pop();
    } else if (token.nesting === 0) {
      put(token, parent);
    } else if (token.hidden || open.length > maxNesting) {
      open.push(parent);
    } else {
      const inner = container(token);
      parent.append(inner.localName === "table" ? scroller(inner) : inner);
      open.push(inner);
    }
  }
}

/** Puts what holds no other tokens. @param {Token} token @param {any} parent */
function put(token, parent) {
  switch (token.type) {
    case "inline":
      return build(token.children ?? [], parent);
    case "softbreak":
    case "hardbreak":
      return parent.append(element("br"), "\n");
    case "hr":
      return parent.append(element("hr"));
    case "code_inline":
      return parent.append(element("code", token.content));
    case "fence":
    case "code_block":
      return parent.append(code(token));
    case "image":
      return parent.append(image(token, parent.closest?.("a") != null));
    default:
      parent.append(token.content);
  }
}

/** The tags of a text, but for those of headings. */
const tags = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "em", "strong", "s"]);

/** What holds other tokens. @param {Token} token */
function container(token) {
  if (token.type === "link_open") {
    return link(token.attrGet("href"));
  }
  if (token.type === "heading_open") {
    return element(`h${Math.min(6, Number(token.tag.slice(1)) + 1)}`); // the page has its own h1
  }
  const made = element(tags.has(token.tag) ? token.tag : "span");
  const align = /^text-align:(center|right)$/.exec(String(token.attrGet("style")))?.[1];
  const start = token.type === "ordered_list_open" ? token.attrGet("start") : null;
  align && (made.dataset["align"] = align);
  start !== null && made.setAttribute("start", String(start));
  return made;
}

/** A link, if there is an address that the parser lets through. @param {unknown} address */
function link(address, text = "") {
  if (!parser.validateLink(String(address))) {
    return element("span", text);
  }
  const made = element("a", text);
  [made.href, made.target, made.rel] = [address, "_blank", "noopener noreferrer nofollow"];
  return made;
}

/** Images are not loaded: whoever serves one would learn who reads it, and when. @param {Token} token @param {boolean} isLinked */
function image(token, isLinked) {
  const name = words(token) || "Image";
  return isLinked ? name : link(token.attrGet("src"), name);
}

/** @param {Token} token */
function code({ content, info }) {
  const [box, button, lines] = [element("figure"), element("button"), element("pre")];
  [button.type, button.dataset.action, button.ariaLabel] = ["button", "copy", "Copy code"];
  const [language = ""] = parser.utils.unescapeAll(info).trim().split(/\s+/);
  language && (box.dataset.language = language.slice(0, 30));
  lines.append(element("code", content.replace(/\n$/, "")));
  box.append(button, lines);
  return box;
}

/** What is wider than the page scrolls by itself. @param {Element} wide */
function scroller(wide) {
  const box = element("div");
  box.append(wide);
  return box;
}

/** @param {string} tag @param {string} [text] @returns {any} */
function element(tag, text = "") {
  const made = document.createElement(tag);
  text && made.append(text);
  return made;
}

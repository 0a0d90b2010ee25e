import MarkdownIt from "./markdown-it/markdown-it.esm.min.mjs";

/** @typedef {import("../../node_modules/markdown-it/dist/markdown-it.d.mts").Token} Token */

/** Nobody reads deeper nesting, and browsers cannot handle elements that are nested much deeper. */
const maxNesting = 40;

/** HTML in a text stays text. An address that leads neither to the web nor to a mailbox stays text too. */
export const parser = new MarkdownIt({ breaks: true, linkify: true, maxNesting });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
parser.validateLink = (/** @type {string} */ address) => /^(https?:\/\/|mailto:)/i.test(address);

/** The words of a text without its Markdown marks, for a screen reader. @param {string} markdown */
export function spoken(markdown) {
  return parser.parse(markdown, {}).map(words).filter(Boolean).join("\n");
}

/** @param {Token} token @returns {string} */
function words({ children, content, type }) {
  return children?.map(words).join("") ?? (type.endsWith("break") ? "\n" : content);
}

/** The lines, with their line ends. @param {string} text @returns {string[]} */
export function linesOf(text) {
  return text.match(/[^\r\n]*(\r\n?|\n)|[^\r\n]+$/g) ?? [];
}

/** A token that begins a block which is not in another block. @param {Token} token */
export function isBlock({ level, nesting }) {
  return level === 0 && nesting >= 0;
}

/** An element for each block. @param {Token[]} tokens @param {string} text */
export function blocks(tokens, text) {
  const all = new DocumentFragment();
  const begins = tokens.flatMap((token, i) => (isBlock(token) ? [i] : []));
  begins.forEach((begin, i) => {
    const block = tokens.slice(begin, begins[i + 1]);
    // The parser drops anything that is nested deeper.
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

/** Adds a token that contains no other tokens. @param {Token} token @param {any} parent */
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

/** The tags that a text may have, except headings. */
const tags = new Set(["p", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "em", "strong", "s"]);

/** The element for a token that contains other tokens. @param {Token} token */
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

/** A link, if the parser accepts the address. @param {unknown} address */
function link(address, text = "") {
  if (!parser.validateLink(String(address))) {
    return element("span", text);
  }
  const made = element("a", text);
  [made.href, made.target, made.rel] = [address, "_blank", "noopener noreferrer nofollow"];
  return made;
}

/** Images are not loaded: the server of an image would learn who reads it, and when. @param {Token} token @param {boolean} isLinked */
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

/** Content that is wider than the page scrolls in its own box. @param {Element} wide */
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

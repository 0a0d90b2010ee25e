// The anchor of a heading, as GitHub makes it, so that links to headings work in the repository and on the site.

/**
 * @param {string} text a heading
 * @returns {string}
 */
export function slug(text) {
  return text.trim().toLowerCase().replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "").replaceAll(" ", "-");
}

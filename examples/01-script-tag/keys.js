/**
 * Whether a key belongs to an input method, which makes one word of several keys. Safari sends the Enter that ends a word after the
 * composition, with isComposing false and the key code 229 (https://bugs.webkit.org/show_bug.cgi?id=165004).
 * @param {KeyboardEvent} event
 */
export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}

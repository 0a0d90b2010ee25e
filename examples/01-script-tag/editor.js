import { isComposing } from "./keys.js";
import { copyOf, part } from "./page.js";

/**
 * Lets the user edit a question in its place.
 * @param {Element} article @param {string} text @param {(text: string) => void} send
 */
export function openEditor(article, text, send) {
  const form = copyOf("editor");
  const field = form.querySelector("textarea");
  const words = part(article, "text");
  const close = () => {
    form.remove();
    words.hidden = part(article, "actions").hidden = false;
    article.querySelector("[data-action=edit]")?.focus();
  };
  const submit = () => {
    if (field.value.trim() !== "") {
      close();
      send(field.value);
    }
  };
  form.addEventListener("submit", (/** @type {Event} */ event) => {
    event.preventDefault();
    submit();
  });
  form.querySelector("[data-action=cancel]").addEventListener("click", close);
  field.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && !event.shiftKey && !isComposing(event)) {
      event.preventDefault();
      submit();
    } else if (event.key === "Escape" && !isComposing(event)) {
      event.stopPropagation(); // otherwise it would stop an answer
      close();
    }
  });
  words.hidden = part(article, "actions").hidden = true;
  words.after(form);
  field.value = text;
  field.focus();
  form.scrollIntoView({ block: "nearest" });
}

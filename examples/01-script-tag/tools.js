// The tools of this page, which the assistant may call.

import { notify } from "./page.js";

const storageKey = "chatsdk-demo-theme";

/** @param {string} theme light, dark or system */
function setTheme(theme) {
  document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
  localStorage.setItem(storageKey, theme);
}

export const tools = {
  set_theme: {
    description: "Makes this page light or dark, or lets it follow the system.",
    parameters: {
      type: "object",
      properties: { theme: { enum: ["light", "dark", "system"] } },
      required: ["theme"],
      additionalProperties: false,
    },
    idempotent: true,
    run: (/** @type {any} */ { theme }) => {
      setTheme(theme);
      return theme === "system" ? "The page follows the system now." : `The page is ${theme} now.`;
    },
  },
  put_up_notice: {
    description: "Puts up a notice at the top of this page, for its reader.",
    parameters: {
      type: "object",
      properties: { text: { type: "string", minLength: 1, maxLength: 300 } },
      required: ["text"],
      additionalProperties: false,
    },
    approval: /** @type {const} */ ("admin"),
    idempotent: true,
    run: (/** @type {any} */ { text }) => {
      notify(text, "news");
      return "The notice is up.";
    },
  },
};

/** Shows the theme that was set before. */
export function restoreTheme() {
  setTheme(localStorage.getItem(storageKey) ?? "system");
}

/** A message that makes the assistant call one of the tools, with a visible effect. */
export function suggestion() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  return `/set_theme {"theme": "${isDark ? "light" : "dark"}"}`;
}

import theme from "vitepress/theme-without-fonts";

import "./style.css";

// setClass gives the page a class while a condition holds. Inline scripts, which would do it earlier, are forbidden.
const setClass = (name, holds) => document.documentElement.classList.toggle(name, holds);

function followColors() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  setClass("dark", dark.matches);
  dark.addEventListener("change", () => setClass("dark", dark.matches));
}

export default {
  extends: theme,
  enhanceApp() {
    if (import.meta.env.SSR) return;
    setClass("mac", /Mac|iPhone|iPod|iPad/i.test(navigator.platform)); // for the key of the search
    followColors();
  },
};

import plugin from "eslint-plugin-import";

export default [{ files: ["main.js"], plugins: { import: plugin }, rules: { "import/no-unresolved": "error", "import/named": "error" } }];

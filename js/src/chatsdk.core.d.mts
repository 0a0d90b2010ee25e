// dist/chatsdk.core.mjs, which the entry loads on the first call: built from core.ts.
export { Core } from "./core.js";

// dist/chatsdk.core.mjs, which the entry loads at the first call: built of core.ts.
export { Core } from "./core.js";

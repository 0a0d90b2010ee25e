// dist/chatsdk.advice.mjs, which is loaded when the core cannot be: built from
// advice.ts.
export { adviceOn } from "./advice.js";

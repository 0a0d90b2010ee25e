// dist/chatsdk.advice.mjs, which is loaded when the core cannot be: built of
// advice.ts.
export { adviceOn } from "./advice.js";

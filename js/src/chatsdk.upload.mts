// dist/chatsdk.upload.mjs, which the entry loads when it is called; the worker's
// script, which has no place to load from, holds it.
export { upload } from "./upload.js";

// dist/chatsdk.upload.mjs, which the entry loads when it is called. The worker's
// script has no address to load files from, so it includes this one.
export { upload } from "./upload.js";

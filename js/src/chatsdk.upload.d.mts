// dist/chatsdk.upload.mjs, which is loaded when a page asks for the progress of an
// upload: built of upload.ts.
export { upload } from "./upload.js";

// dist/chatsdk.worker.mjs, which is loaded when a page asks for a worker: built
// from worker/remote.ts.
export { open } from "./worker/remote.js";

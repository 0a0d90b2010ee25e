// The text of dist/chatsdk.worker.js, which is built from main.ts (see Makefile).
declare module "worker_source" {
  const source: string;
  export default source;
}

/** The version in package.json. */
declare const VERSION: string;

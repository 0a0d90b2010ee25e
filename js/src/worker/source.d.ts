// The text of dist/chatsdk.worker.js, which is built of main.ts (see Makefile).
declare module "worker_source" {
  const source: string;
  export default source;
}

/** That of package.json. */
declare const VERSION: string;

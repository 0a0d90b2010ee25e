// dist/chatsdk.token.mjs, which is loaded when a server mints a token: built from
// mint.ts.
export { mint } from "./mint.js";

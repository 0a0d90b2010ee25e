// dist/chatsdk.token.mjs, which is loaded when a server mints a token: built from
// token.ts.
export { mint } from "./token.js";

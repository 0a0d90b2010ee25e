/**
 * The address of the script tag, which stands for `import.meta.url` in the
 * script build: the wasm lies beside it.
 */
const script = typeof document === "undefined" ? null : document.currentScript;

export const import_meta_url: string = script instanceof HTMLScriptElement ? script.src : globalThis.location.href;

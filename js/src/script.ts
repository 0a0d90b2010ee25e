/**
 * The address of the script tag, which stands for `import.meta.url` in the
 * script build: the wasm lies beside it. Where the text of the script stands in the
 * page or no tag brought it, it is the page's own.
 */
const script = globalThis.document?.currentScript as HTMLScriptElement | null | undefined;

export const import_meta_url: string = script?.src || location.href;

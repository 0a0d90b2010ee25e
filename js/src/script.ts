/**
 * The address of the script tag, in place of `import.meta.url` in the build for script tags: the
 * wasm is beside it. If the script is inline, or no tag loaded it, it is the page's address.
 */
const script = globalThis.document?.currentScript as HTMLScriptElement | null | undefined;

export const import_meta_url: string = script?.src || location.href;

/**
 * Imports a file beside the script, for the build that a script tag loads. Bundlers
 * find the files of the other build by their literal names alone.
 */
export function late<T>(name: string): Promise<T> {
  return import(new URL(`./chatsdk.${name}.mjs`, import.meta.url).href) as Promise<T>;
}

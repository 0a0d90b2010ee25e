/** How often loading a file failed. */
const failures = new Map<string, number>();

/**
 * Imports a file beside the script, for the build that a script tag loads. Bundlers
 * find the files of the other build by their literal names alone. After a failure the address
 * is another: Firefox never asks again for one that failed.
 */
export async function late<T>(name: string): Promise<T> {
  const failed = failures.get(name) ?? 0;
  try {
    return await import(new URL(`./chatsdk.${name}.mjs${failed ? `?${failed}` : ""}`, import.meta.url).href) as T;
  } catch (error) {
    failures.set(name, failed + 1);
    throw error;
  }
}

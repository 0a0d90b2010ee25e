/** How often loading a file has failed. */
const failures = new Map<string, number>();

/**
 * Imports a file beside the script, for the build for script tags. Bundlers find the files of the
 * other build only by their literal names. After a failure the address changes, because Firefox
 * never requests a failed one again.
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

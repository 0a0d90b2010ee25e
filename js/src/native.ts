/** The platform's own built-ins. A page may have replaced the global ones, before or after this script. */

async function nothing(): Promise<void> {}

/** The class of promises that async functions return. */
export function promises(): PromiseConstructor {
  return nothing().constructor as PromiseConstructor;
}

/** A promise of the platform's own class. */
export function promise<T>(executor: (resolve: (value: T | PromiseLike<T>) => void, reject: (reason?: unknown) => void) => void): Promise<T> {
  return new (promises())(executor);
}

/** JSON of plain data, whatever toJSON a page gave to all arrays, as Prototype does. */
export function json(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, part: unknown) {
    const own = this[key];
    return Array.isArray(own) ? own : part;
  });
}

/** The class URL: by its global name, by the old name that windows still have, or from Node. */
export function urls(): (typeof URL)[] {
  const { webkitURL } = globalThis as { webkitURL?: typeof URL };
  const node = globalThis.process?.getBuiltinModule?.("node:url")?.URL as typeof URL | undefined;
  return [globalThis.URL, webkitURL, node].filter((known) => typeof known === "function");
}

/** An address, relative to a base. Throws if it is none. */
export function resolved(address: string | URL, base?: string): URL {
  for (const Known of urls()) {
    try {
      const url = new Known(address, base);
      if (/^[a-z][\w+.-]*:/i.test(url.href)) {
        return url;
      }
    } catch {
      // It is no address, or this is not the platform's class.
    }
  }
  throw new TypeError(`${address} is not an address`);
}

/**
 * Lets `using` and `await using` end an object. Browsers without their symbols get the names that esbuild's helpers look for. The methods
 * are no part of the class, because bundlers keep a class whose keys are computed.
 */
export function disposable(object: object, end: () => Promise<void>): void {
  for (const name of ["dispose", "asyncDispose"] as const) {
    Object.defineProperty(object, Symbol[name] ?? Symbol.for(`Symbol.${name}`), { value: end });
  }
}

// What the build makes; see Makefile.

// The loader of the Go toolchain, wrapped so that its global object is our own scope.
declare module "wasm_exec" {
  export interface Go {
    readonly importObject: WebAssembly.Imports;
    exited: boolean;
    run(instance: WebAssembly.Instance): Promise<void>;
    _resume(): void;
    /** A view of the current memory. */
    readonly mem: DataView<ArrayBuffer>;
    readonly _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
  }
  /** Evaluates the loader in a scope and returns its class. */
  export function loader(scope: object): new () => Go;
}

// The text of dist/chatsdk.worker.js, which is built from worker/main.ts.
declare module "worker_source" {
  const source: string;
  export default source;
}

// The files beside the entry, each of which is built from the file of its name; chatsdk.worker.mjs from worker/remote.ts.
declare module "*.mjs";

/** The version in package.json. */
declare const VERSION: string;

/** The build for script tags, which has no base address for imports and no literal imports: its files are always beside it. */
declare const SCRIPT: boolean;

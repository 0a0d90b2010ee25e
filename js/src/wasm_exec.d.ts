// The loader of the Go toolchain, wrapped at build time so that what it takes
// for the global object is a scope of our own (see Makefile).
declare module "wasm_exec" {
  export interface Go {
    readonly importObject: WebAssembly.Imports;
    exited: boolean;
    run(instance: WebAssembly.Instance): Promise<void>;
    _resume(): void;
    /** Of the memory as it is now. */
    readonly mem: DataView<ArrayBuffer>;
    readonly _scheduledTimeouts: Map<number, ReturnType<typeof setTimeout>>;
  }
  /** Evaluates the loader in a scope and gives its class. */
  export function loader(scope: object): new () => Go;
}

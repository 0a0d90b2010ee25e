// The loader of the Go toolchain, wrapped at build time so that its global object is our own
// scope (see Makefile).
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

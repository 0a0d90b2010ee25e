// dist/chatsdk.wasm.d.ts: what an import of the file returns where the platform
// compiles it, as workerd does.
import type { WasmModule } from "./chatsdk.js";

declare const wasmModule: WasmModule;
export default wasmModule;

export default {
  // The server loads the package from node_modules, where chatsdk.wasm is next to it.
  serverExternalPackages: ["chatsdk"],
  // The project that contains this example has a package-lock.json too; Next.js would take that project for the root.
  turbopack: { root: import.meta.dirname },
};

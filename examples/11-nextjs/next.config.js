export default {
  // On the server the package is read from npm's folder, where its chatsdk.wasm lies beside it.
  serverExternalPackages: ["chatsdk"],
  // The project around this example has a package-lock.json too, which Next.js would take for the root.
  turbopack: { root: import.meta.dirname },
};

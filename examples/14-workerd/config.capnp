using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:8081", http = (), service = "main")],
);

const worker :Workerd.Worker = (
  compatibilityDate = "2025-05-05",
  modules = [
    (name = "worker.mjs", esModule = embed "worker.mjs"),
    (name = "chatsdk", esModule = embed "node_modules/chatsdk/dist/chatsdk.mjs"),
    (name = "chatsdk.advice.mjs", esModule = embed "node_modules/chatsdk/dist/chatsdk.advice.mjs"),
    (name = "chatsdk.token.mjs", esModule = embed "node_modules/chatsdk/dist/chatsdk.token.mjs"),
    (name = "chatsdk.upload.mjs", esModule = embed "node_modules/chatsdk/dist/chatsdk.upload.mjs"),
    (name = "chatsdk/chatsdk.wasm", wasm = embed "node_modules/chatsdk/dist/chatsdk.wasm"),
  ],
  bindings = [
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "PROJECT_ID", fromEnvironment = "PROJECT_ID"),
    (name = "API_KEY", fromEnvironment = "API_KEY"),
    (name = "API_SECRET", fromEnvironment = "API_SECRET"),
  ],
);

// The service gives demo tokens only if Origin and Host agree. In this form the proxy passes on the browser's Host.
const service = { target: process.env.SERVICE ?? "http://127.0.0.1:8080" };
const proxy = { "/demo": service, "/project": service, "/v3": service };

export default {
  devToolbar: { enabled: false },
  vite: { server: { proxy }, preview: { proxy } },
};

import { reactRouter } from "@react-router/dev/vite";

// Its pages get demo tokens under the host that the browser asked, which this form passes on.
const service = { target: process.env.SERVICE ?? "http://127.0.0.1:8080" };
const proxy = { "/demo": service, "/project": service, "/v3": service };

export default {
  plugins: [reactRouter()],
  server: { proxy },
  preview: { proxy },
};

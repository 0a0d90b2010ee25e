export default defineNuxtConfig({
  compatibilityDate: "2026-11-01",
  telemetry: false,
  app: { head: { title: "ChatSDK with Nuxt", link: [{ rel: "icon", href: "data:," }] } },
  // NUXT_PUBLIC_SERVICE names another service.
  runtimeConfig: { public: { service: "http://127.0.0.1:8080" } },
});

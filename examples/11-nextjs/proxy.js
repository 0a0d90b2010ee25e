import { NextResponse } from "next/server";

/** Sets a policy for each page, with a nonce for the scripts that Next.js writes into the page. */
export function proxy(request) {
  const nonce = crypto.randomUUID();
  const development = process.env.NODE_ENV === "development" ? "'unsafe-eval'" : "";
  const policy = [
    "default-src 'none'", `script-src 'self' 'nonce-${nonce}' 'wasm-unsafe-eval' ${development}`, "worker-src blob:",
    `style-src 'self' ${development && "'unsafe-inline'"}`, `connect-src 'self' ${process.env.SERVICE}`, "img-src 'self' data:", "font-src 'self'",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
  ].join("; ");
  const headers = new Headers(request.headers);
  headers.set("Content-Security-Policy", policy); // Next.js reads the nonce from it
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("Content-Security-Policy", policy);
  return response;
}

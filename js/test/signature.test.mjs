// How a tool in Node checks the caller: examples/18-tools/verify.mjs, with the call that
// service/internal/tool/sign_test.go also checks.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { isSigned } from "../../examples/18-tools/verify.mjs";

const { secret, now, body, ...sent } = JSON.parse(readFileSync(new URL("../../service/internal/tool/testdata/signed.json", import.meta.url)));

test("a call from the service is accepted for five minutes", () => {
  for (const seconds of [-300, 0, 300]) assert.equal(isSigned(sent, body, secret, 1000 * (now + seconds)), true, `${seconds} s later`);
  for (const seconds of [-301, 301]) assert.equal(isSigned(sent, body, secret, 1000 * (now + seconds)), false, `${seconds} s later`);
});

test("a call that differs is rejected", () => {
  const other = (headers, rest) => ({ ...sent, ...rest, headers: { ...sent.headers, ...headers } });
  const signature = sent.headers["x-chatsdk-signature"];
  const wrong = {
    "another body": [sent, body + " ", secret],
    "another secret": [sent, body, secret + "0"],
    "another method": [other({}, { method: "PUT" }), body, secret],
    "another path": [other({}, { url: "/refund" }), body, secret],
    "another call": [other({ "idempotency-key": "call_2" }), body, secret],
    "another user": [other({ "x-chatsdk-user": "bob" }), body, secret],
    "no user": [other({ "x-chatsdk-user": "" }), body, secret],
    "another chat": [other({ "x-chatsdk-chat": "chat_2" }), body, secret],
    "another time": [other({ "x-chatsdk-signature": signature.replace(`${now}`, `${now + 1}`) }), body, secret],
    "another signature": [other({ "x-chatsdk-signature": `t=${now},v1=${"0".repeat(64)}` }), body, secret],
    "part of a signature": [other({ "x-chatsdk-signature": signature.slice(0, -2) }), body, secret],
    "no signature": [other({ "x-chatsdk-signature": undefined }), body, secret],
  };
  for (const [name, [request, text, key]] of Object.entries(wrong)) assert.equal(isSigned(request, text, key, 1000 * now), false, name);
});

// Node passes headers in lower case, an empty one as an empty string, and the path unchanged.
test("it accepts a call that Node's own server received", async () => {
  const server = createServer((request, response) => {
    request.setEncoding("utf8");
    let text = "";
    request.on("data", (part) => (text += part)).on("end", () => response.end(String(isSigned(request, text, secret, 1000 * now))));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  try {
    const answer = await fetch(`http://127.0.0.1:${server.address().port}${sent.url}`, { method: sent.method, headers: sent.headers, body });
    assert.equal(await answer.text(), "true");
  } finally {
    server.close();
  }
});

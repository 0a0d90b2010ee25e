// `using` and `await using`, as esbuild translates them for today's browsers.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import vm from "node:vm";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { events, FakeService, receipt, silence, streamed, until } from "./fake-fetch.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", retryDelay: 0 };

/** Compiles a function of a module. */
async function compiled(code) {
  const script = execFileSync("go", ["tool", "esbuild", "--target=es2022", "--format=esm"], { cwd: root, input: `export default ${code}` });
  return (await import(`data:text/javascript,${encodeURIComponent(script)}`)).default;
}

test("await using of a stream stops the answer and waits until it is stopped", async () => {
  let stopped = false;
  const service = new FakeService(async ({ path, signal }) => {
    if (!path.endsWith("/stop")) {
      return streamed(events("a", "b").slice(0, 2), signal, true);
    }
    await new Promise(setImmediate);
    stopped = true;
    return receipt("a");
  });
  const read = await compiled(`async (sdk) => {
    await using answer = sdk.stream("hi");
    for await (const event of answer) {
      if (event.type === "chunk") return event.text;
    }
  }`);
  assert.equal(await read(new ChatSDK(config)), "a");
  assert.equal(stopped, true);
  assert.deepEqual(service.asked, ["POST /v3/chat/message", "POST /v3/chat/stream/s1/stop"]);
});

test("the code of docs/api.md prints an answer, and closes its client", async (t) => {
  const service = new FakeService(({ signal }) => streamed(events("Once ", "upon a time."), signal));
  const [, code] = /```js\n(.*?)```/s.exec(readFileSync(`${root}/docs/api.md`, "utf8"));
  const run = await compiled(`async (ChatSDK, accessToken, process) => {${code.replace(/^import .*$/m, "")}}`);
  const printed = [];
  await run(ChatSDK, "t", { stdout: { write: (text) => printed.push(text) } });
  assert.equal(printed.join(""), "Once upon a time.");
  assert.equal(service.asked.length, 1);
});

test("using of a stream that nobody read stops it too, one that has ended asks nothing, and detachOnAbort leaves it to the service", async () => {
  const service = new FakeService(({ path, signal }) => (path.endsWith("/stop") ? receipt("") : streamed(events("a").slice(0, 2), signal, true)));
  const sdk = new ChatSDK(config);
  const leave = await compiled(`async (sdk, options, ready) => {
    using answer = sdk.stream("hi", options);
    await ready(answer);
  }`);
  await leave(sdk, {}, () => until(() => service.asked.length === 1));
  await until(() => service.asked.length === 2);
  assert.match(service.asked[1], /^POST .*stop$/);
  await leave(sdk, { detachOnAbort: true }, () => until(() => service.asked.length === 3));
  await new Promise(setImmediate);
  assert.equal(service.asked.length, 3);
  const whole = new FakeService(({ signal }) => streamed(events("a"), signal));
  await leave(sdk, {}, ({ result }) => result);
  await new Promise(setImmediate);
  assert.equal(whole.asked.length, 1);
});

test("using and await using of a client close it, also with what is under way", async () => {
  for (const word of ["using", "await using"]) {
    const service = new FakeService(silence);
    const begin = await compiled(`async (ChatSDK, config, ready) => {
      ${word} sdk = new ChatSDK(config);
      const call = sdk.listChats();
      call.catch(() => {});
      await ready();
      return { sdk, call: [call] };
    }`);
    const { sdk, call } = await begin(ChatSDK, config, () => until(() => service.asked.length === 1));
    await assert.rejects(call[0], { name: "AbortError" });
    await assert.rejects(sdk.listChats(), { name: "InvalidStateError" });
  }
});

test("a browser without the symbols gets the names that esbuild's helpers look for", () => {
  const page = vm.createContext({ location: { href: "https://a/" }, URL });
  vm.runInContext(readFileSync(`${root}/dist/chatsdk.js`, "utf8"), page);
  const kinds = vm.runInContext(`
    const sdk = new ChatSDK({ baseUrl: "https://a", projectId: "p", accessToken: "t" });
    [Symbol.dispose ?? Symbol.for("Symbol.dispose"), Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose")].map((name) => typeof sdk[name]).join()`, page);
  assert.equal(kinds, "function,function");
  assert.deepEqual(Object.keys(new ChatSDK(config)), [], "they do not show in what a page prints or copies");
});

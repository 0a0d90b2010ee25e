// `worker` where the browser's kind of worker is missing, and how the page's half handles a faulty
// worker.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService } from "./fake-fetch.mjs";
import { failure, opened, started, version } from "./fake-worker.mjs";

test("without a browser's workers the core runs here, and a warning says so once", async () => {
  const warn = mock.method(console, "warn", () => {});
  new FakeService(() => new Response('{"chats":[],"has_more":false}', { headers: { "content-type": "application/json" } }));
  const config = { baseUrl: "https://api.example.com", projectId: "p1", accessToken: "token-1", worker: true };
  await ChatSDK.preload({ worker: true });
  assert.deepEqual(await new ChatSDK(config).listChats(), { chats: [], has_more: false });
  assert.deepEqual(await new ChatSDK(config).listChats(), { chats: [], has_more: false });
  assert.equal(warn.mock.callCount(), 1);
  assert.match(warn.mock.calls[0].arguments.join(" "), /the core runs in the page, not in a worker: .*leave the option worker out/);
  warn.mock.restore();
});

test("a script that says nothing is given up after 10 s", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { start, worker } = opened();
  mock.timers.tick(10_000);
  await assert.rejects(start, { message: /worker\.js \(it sent nothing within 10 s\); serve/ });
  assert.ok(worker.ended);
  mock.timers.reset();
});

test("a script that says something else is given up", async () => {
  const { start, worker } = opened();
  worker.say("ready", { version: "0.0.0" });
  await assert.rejects(start, { message: /serve chatsdk\.worker\.js of version/ });
  assert.ok(worker.ended);
});

test("a core that does not start is an error, and its worker ends", async () => {
  const { start, worker } = opened();
  worker.say("ready", { version });
  const starting = (await start)();
  worker.say("dead", failure("answered 404"));
  await assert.rejects(starting, { message: "answered 404", name: "APIError" });
  assert.ok(worker.ended);
});

test("a worker that fails ends all calls with one error", async () => {
  const { start, worker } = opened();
  worker.say("ready", { version });
  let crashed = 0;
  const starting = (await start)(() => (crashed += 1));
  assert.deepEqual(worker.told.shift(), { kind: "start", wasm: "https://site.example/chatsdk.wasm", pastCache: false });
  worker.say("started");
  const core = await starting;
  const client = core.open({}, "{}");
  const calls = [core.call({ operation: "listChats", client, args: "{}" }), core.call({ operation: "listAgents", client, args: "{}" })];
  worker.onerror({ message: "out of memory", preventDefault() {} });
  const errors = await Promise.all(calls.map((call) => call.catch((error) => error)));
  assert.match(errors[0].message, /worker failed \(out of memory\); the next call starts another/);
  assert.equal(errors[0], errors[1]);
  assert.equal(crashed, 1);
  assert.ok(core.dead && worker.ended);
  await assert.rejects(core.call({ operation: "listChats", client, args: "{}" }), errors[0]);
});

/** A core in a started worker, and a client whose tools run with this function. */
async function withTools(runTool) {
  const { core, worker } = await started();
  const client = core.open({ runTool }, "{}");
  assert.deepEqual(worker.told.pop(), { kind: "open", client, settings: "{}", fetch: undefined });
  return { core, worker, client };
}

test("a token function that throws what cannot be read is answered, and its value stays the cause", async () => {
  const { core, worker } = await started();
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [ask, value] of [proxy, { get message() { throw new Error("a getter"); } }, Symbol("s")].entries()) {
    const client = core.open({ accessToken: async () => { throw value; } }, "{}");
    const call = core.call({ operation: "listChats", client, args: "{}" });
    worker.say("token", { ask, client });
    await new Promise(setImmediate);
    const { reason, ...threw } = worker.told.pop();
    assert.deepEqual([threw, structuredClone(reason).message], [{ kind: "threw", ask }, undefined]);
    worker.say("failed", { id: worker.heard("call").at(-1).id, ...failure("m", reason) });
    await assert.rejects(call, ({ cause }) => cause === value);
  }
});

test("a tool is carried out in the page", async () => {
  const { worker, client } = await withTools(async (name, callId, args, signal) => `${name} ${callId} ${args} ${signal.aborted}`);
  worker.say("tool", { ask: 7, client, name: "look", callId: "t1", args: '{"at":1}' });
  await new Promise(setImmediate);
  assert.deepEqual(worker.told.pop(), { kind: "given", ask: 7, value: 'look t1 {"at":1} false' });
});

test("the worker gets the error that a tool throws", async () => {
  const { worker, client } = await withTools(async () => {
    throw new Error("it broke");
  });
  worker.say("tool", { ask: 7, client, name: "look", callId: "t1", args: "{}" });
  await new Promise(setImmediate);
  const { reason, ...threw } = worker.told.pop();
  assert.deepEqual([threw, reason.message], [{ kind: "threw", ask: 7 }, "it broke"]);
});

for (const [name, end, others] of [
  ["a call that nobody waits for any more", (worker) => worker.say("leave", { ask: 7 }), false],
  ["a core that is gone", (worker) => worker.onerror({ message: "out of memory", preventDefault() {} }), true],
]) {
  test(`${name} aborts its tool's signal`, async () => {
    const signals = {};
    const { worker, client } = await withTools((_, callId, __, signal) => {
      signals[callId] = signal;
      return new Promise(() => {});
    });
    worker.say("tool", { ask: 7, client, name: "look", callId: "t1", args: "{}" });
    worker.say("tool", { ask: 8, client, name: "look", callId: "t2", args: "{}" });
    worker.say("leave", { ask: 9 }); // this page does not know the call
    assert.deepEqual([signals.t1.aborted, signals.t2.aborted], [false, false]);
    end(worker);
    assert.deepEqual([signals.t1.aborted, signals.t2.aborted], [true, others]);
  });
}

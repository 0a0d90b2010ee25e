// `worker` where the browser's kind of worker is missing, and how the page's half handles a faulty
// worker.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { FakeService } from "./fake-fetch.mjs";
import { attempt, made, opened, version } from "./fake-worker.mjs";

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
  worker.say("ready", "0.0.0");
  await assert.rejects(start, { message: /serve chatsdk\.worker\.js of version/ });
  assert.ok(worker.ended);
});

test("a core that does not start is an error, and its worker ends", async () => {
  const { start, worker } = opened();
  worker.say("ready", version);
  const starting = (await start)("https://site.example/chatsdk.wasm", 5000, made, attempt());
  worker.say("dead", ["api", '{"message":"answered 404"}', undefined, undefined]);
  await assert.rejects(starting, { message: "answered 404", kind: "api" });
  assert.ok(worker.ended);
});

test("a worker that fails ends all calls with one error", async () => {
  const { start, worker } = opened();
  worker.say("ready", version);
  let crashed = 0;
  const starting = (await start)("https://site.example/chatsdk.wasm", 5000, made, attempt(() => (crashed += 1)));
  assert.deepEqual(worker.told.shift(), ["start", "https://site.example/chatsdk.wasm", false]);
  worker.say("started");
  const core = await starting;
  const client = core.bindings.newClient("{}", undefined, undefined);
  const calls = [core.call("listChats", client, "{}"), core.call("listAgents", client, "{}")];
  worker.onerror({ message: "out of memory", preventDefault() {} });
  const errors = await Promise.all(calls.map((call) => call.catch((error) => error)));
  assert.match(errors[0].message, /worker failed \(out of memory\); the next call starts another/);
  assert.equal(errors[0], errors[1]);
  assert.equal(crashed, 1);
  assert.ok(core.dead && worker.ended);
  await assert.rejects(core.call("listChats", client, "{}"), errors[0]);
});

/** A core in a started worker, and a client whose tools run with this function. */
async function withTools(carry) {
  const { start, worker } = opened();
  worker.say("ready", version);
  const starting = (await start)("https://site.example/chatsdk.wasm", 5000, made, attempt());
  worker.say("started");
  const core = await starting;
  const client = core.bindings.newClient("{}", undefined, undefined, carry);
  assert.deepEqual(worker.told.pop(), ["open", client, "{}", false, false, true]);
  return { core, worker, client };
}

test("a token function that throws what cannot be read is answered, and its value stays the cause", async () => {
  const { start, worker } = opened();
  worker.say("ready", version);
  const starting = (await start)("https://site.example/chatsdk.wasm", 5000, made, attempt());
  worker.say("started");
  const core = await starting;
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const [ask, value] of [proxy, { get message() { throw new Error("a getter"); } }, Symbol("s")].entries()) {
    const client = core.bindings.newClient("{}", async () => { throw value; }, undefined, undefined);
    const call = core.call("listChats", client, "{}");
    worker.say("ask", ask, client);
    await new Promise(setImmediate);
    assert.deepEqual(worker.told.pop(), ["no answer", ask, undefined]);
    const [, id] = worker.told.findLast(([kind]) => kind === "call");
    worker.say("failed", id, ["api", '{"message":"m"}', undefined, ask]);
    await assert.rejects(call, ({ cause }) => cause === value);
  }
});

test("a tool is carried out in the page", async () => {
  const { worker, client } = await withTools(async (name, callId, args, signal) => `${name} ${callId} ${args} ${signal.aborted}`);
  worker.say("carry", 7, client, "look", "t1", '{"at":1}');
  await new Promise(setImmediate);
  assert.deepEqual(worker.told.pop(), ["answer", 7, 'look t1 {"at":1} false']);
});

test("the worker gets the error that a tool throws", async () => {
  const { worker, client } = await withTools(async () => {
    throw new Error("it broke");
  });
  worker.say("carry", 7, client, "look", "t1", "{}");
  await new Promise(setImmediate);
  assert.deepEqual(worker.told.pop(), ["no answer", 7, "it broke"]);
});

for (const [name, end, others] of [
  ["a call that nobody waits for any more", (worker) => worker.say("leave", 7), false],
  ["a core that is gone", (worker) => worker.onerror({ message: "out of memory", preventDefault() {} }), true],
]) {
  test(`${name} aborts its tool's signal`, async () => {
    const signals = {};
    const { worker, client } = await withTools((_, callId, __, signal) => {
      signals[callId] = signal;
      return new Promise(() => {});
    });
    worker.say("carry", 7, client, "look", "t1", "{}");
    worker.say("carry", 8, client, "look", "t2", "{}");
    worker.say("leave", 9); // this page does not know the call
    assert.deepEqual([signals.t1.aborted, signals.t2.aborted], [false, false]);
    end(worker);
    assert.deepEqual([signals.t1.aborted, signals.t2.aborted], [true, others]);
  });
}

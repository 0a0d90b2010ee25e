// What the page's half does about a worker that dies without an event.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { failure, FakeWorker, opened, started, version } from "./fake-worker.mjs";

const turn = () => new Promise(setImmediate);
const died = { message: "ChatSDK: the core's worker has died; call again" };

/** Lets the page look until the worker, which says nothing, is dead. */
async function dies() {
  const worker = FakeWorker.made.at(-1);
  for (let look = 0; look < 12 && !worker.ended; look++) {
    mock.timers.tick(2000);
  }
  assert.ok(worker.ended);
  await turn();
}

/** A test in which timers go on when it says so. */
function timed(name, work) {
  test(name, async () => {
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      await work();
    } finally {
      mock.timers.reset();
    }
  });
}

/** The next worker of a core, once its script and its program have started. */
async function replaced() {
  const worker = FakeWorker.made.at(-1);
  worker.say("ready", { version });
  await turn();
  worker.say("started");
  await turn();
  return worker;
}

const outcomeOf = (call) => call.then((value) => value, ({ message }) => message);
const idOf = (worker, name) => worker.heard("call").findLast(({ operation }) => operation === name).id;

timed("close() while another worker is started: nothing is repeated but the client's stops, and what others do", async () => {
  const { core, worker } = await started();
  const [closing, other] = ["{}", "{}"].map((config) => core.open({}, config));
  const left = ["sendMessage", "listChats", "resumeStream"].map((name) => outcomeOf(core.call({ operation: name, client: closing, args: "{}" })));
  outcomeOf(core.call({ operation: "stop", client: closing, args: '{"streamId":"s1"}' }));
  outcomeOf(core.call({ operation: "listAgents", client: other, args: "{}" }));
  await dies();
  assert.ok(worker.ended);
  core.close(closing);
  const next = await replaced();
  assert.deepEqual(next.heard("call").map(({ operation, client }) => [operation, client]), [["stop", closing], ["listAgents", other]]);
  assert.deepEqual(await Promise.all(left), left.map(() => died.message));
});

timed("what a client does that is freed while another worker is started fails", async () => {
  const { core } = await started();
  const client = core.open({}, "{}");
  const call = outcomeOf(core.call({ operation: "listChats", client: client, args: "{}" }));
  await dies();
  core.free(client);
  const next = await replaced();
  assert.deepEqual(next.heard("open", "call"), []);
  assert.equal(await call, died.message);
});

timed("a core that ends while another worker is started ends that worker at once", async () => {
  const { core } = await started();
  const call = outcomeOf(core.call({ operation: "listChats", client: core.open({}, "{}"), args: "{}" }));
  await dies();
  core.end();
  await turn();
  assert.ok(FakeWorker.made.at(-1).ended);
  assert.equal(await call, "ChatSDK: the core was closed");
});

for (const [when, prepare] of [
  ["its script comes", () => {}],
  ["its program runs", (worker) => worker.say("ready", { version })],
]) {
  timed(`another worker ends with its core before ${when}`, async () => {
    const { core } = await started();
    outcomeOf(core.call({ operation: "listChats", client: core.open({}, "{}"), args: "{}" }));
    await dies();
    const worker = FakeWorker.made.at(-1);
    prepare(worker);
    await turn();
    core.end();
    worker.say("started");
    await turn();
    assert.ok(worker.ended);
    assert.deepEqual(worker.heard("open", "call"), []);
  });
}

timed("another worker whose script hangs is given up after 10 s", async () => {
  const { core } = await started(60_000);
  const call = core.call({ operation: "listChats", client: core.open({}, "{}"), args: "{}" }).catch((error) => error);
  await dies();
  mock.timers.tick(10_000);
  await turn();
  assert.equal((await call).code, "TIMEOUT");
});

timed("another worker that does not start in time is given up, and the calls may be made again", async () => {
  const { core } = await started();
  const call = core.call({ operation: "listChats", client: core.open({}, "{}"), args: "{}" }).catch((error) => error);
  await dies();
  const worker = FakeWorker.made.at(-1);
  worker.say("ready", { version });
  await turn();
  mock.timers.tick(5000);
  assert.match((await call).message, /has started within 5000 ms$/);
  assert.equal((await call).code, "TIMEOUT");
  assert.ok(worker.ended && core.dead);
});

for (const [config, args, most] of [
  ["{}", "{}", 2], ['{"maxRetries":0}', "{}", 0], ['{"maxRetries":0}', '{"maxRetries":4}', 4], ["{}", '{"maxRetries":1}', 1],
]) {
  timed(`a read goes on in ${most} further workers: ${config} ${args}`, async () => {
    const { core } = await started();
    const client = core.open({}, config);
    const before = FakeWorker.made.length;
    let outcome;
    core.call({ operation: "listChats", client: client, args: args }).catch((error) => (outcome = error));
    outcomeOf(core.call({ operation: "resumeStream", client: client, args: "{}" })); // so that the last death is seen, too
    for (let deaths = 1; ; deaths++) {
      await dies();
      if (outcome) {
        assert.equal(deaths, most + 1);
        break;
      }
      await replaced();
    }
    assert.equal(outcome.message, died.message);
    assert.ok(FakeWorker.made.slice(before, before + most).every((worker) => worker.heard("call").some(({ operation }) => operation === "listChats")));
  });
}

timed("an answer that brings something in each worker goes on, however many die", async () => {
  const { core, worker } = await started();
  const heard = [];
  const call = core.call({ operation: "sendMessageStream", client: core.open({}, '{"maxRetries":0}'), args: "{}" },
    { onEvents: (events) => heard.push(events) });
  let last = worker;
  for (let n = 0; n < 5; n++) {
    const seen = { characters: n, others: {} };
    last.say("events", { id: idOf(last, "sendMessageStream"), events: `${n}`, seen });
    await dies();
    last = await replaced();
    assert.deepEqual(last.heard("call")[0].seen, seen);
  }
  last.say("done", { id: idOf(last, "sendMessageStream"), result: true });
  assert.equal(await call, true);
  assert.deepEqual(heard, ["0", "1", "2", "3", "4"]);
});

timed("what a dead worker still says is not heard", async () => {
  const { core, worker } = await started();
  const heard = [];
  const client = core.open({ accessToken: async () => heard.push("asked"), runTool: async () => heard.push("carried") }, "{}");
  const call = core.call({ operation: "sendMessageStream", client: client, args: "{}" }, { onEvents: (events) => heard.push(events) });
  const id = idOf(worker, "sendMessageStream");
  await dies();
  const say = () => {
    worker.say("events", { id, events: "again", seen: { characters: 5, others: {} } });
    worker.say("token", { ask: 1, client });
    worker.say("tool", { ask: 2, client, name: "look", callId: "t1", args: "{}" });
    worker.say("failed", { id, ...failure("of the dead") });
    worker.onerror({ message: "out of memory", preventDefault() {} });
  };
  say();
  const next = await replaced();
  say();
  next.say("events", { id, events: "now", seen: { characters: 3, others: {} } });
  next.say("done", { id, result: true });
  assert.equal(await call, true);
  assert.deepEqual(heard, ["now"]);
});

timed("the answer to a dead worker's question is given to no other worker", async () => {
  const { core, worker } = await started();
  let finish;
  const aborted = [];
  const runTool = (_, id, __, signal) => {
    signal.addEventListener("abort", () => aborted.push(id));
    return new Promise((resolve) => (finish ??= resolve));
  };
  const client = core.open({ accessToken: async () => "token", runTool }, "{}");
  outcomeOf(core.call({ operation: "sendMessageStream", client: client, args: "{}" }, { onEvents: () => {} }));
  worker.say("tool", { ask: 1, client, name: "look", callId: "t1", args: "{}" });
  await dies();
  assert.deepEqual(aborted, ["t1"]);
  const next = await replaced();
  next.say("tool", { ask: 1, client, name: "look", callId: "t2", args: "{}" });
  finish("the result of t1");
  await turn();
  assert.deepEqual(next.heard("given", "threw"), []);
  next.say("leave", { ask: 1 });
  assert.deepEqual(aborted, ["t1", "t2"]);
});

timed("a sign-in that a dead worker has begun is not begun again, and the next question begins another", async () => {
  const { core, worker } = await started();
  const asked = [];
  const client = core.open({ accessToken: () => new Promise((resolve) => asked.push(resolve)) }, "{}");
  outcomeOf(core.call({ operation: "listChats", client: client, args: "{}" }));
  worker.say("token", { ask: 1, client: client });
  await dies();
  const next = await replaced();
  next.say("token", { ask: 1, client: client });
  assert.equal(asked.length, 1);
  next.say("token", { ask: 2, client: client }); // the core has waited for too long, and asks once more
  await turn();
  assert.equal(asked.length, 2);
  asked[0]("first");
  asked[1]("second");
  await turn();
  assert.deepEqual(next.heard("given").map(({ ask, value }) => [ask, value]), [[1, "first"], [2, "second"]]);
});

timed("the cause of an error is what this worker's question brought, not a dead one's", async () => {
  const { core, worker } = await started();
  const [, second] = ["old", "new"].map((value) => core.open({ accessToken: async () => { throw value; } }, "{}"));
  const [first] = [second - 1];
  outcomeOf(core.call({ operation: "listChats", client: first, args: "{}" }));
  const call = core.call({ operation: "listAgents", client: second, args: "{}" });
  worker.say("token", { ask: 1, client: first });
  await turn();
  await dies();
  const next = await replaced();
  next.say("token", { ask: 1, client: second });
  await turn();
  next.say("failed", { id: idOf(next, "listAgents"), ...failure("m", next.heard("threw").at(-1).reason) });
  await assert.rejects(call, { cause: "new" });
});

test("a start that is given up ends its worker", async () => {
  for (const comes of [false, true]) {
    const { start, worker, giveUp } = opened();
    let starting = start;
    if (comes) {
      worker.say("ready", { version });
      let forgotten = 0;
      starting = (await start)(() => (forgotten += 1));
      await turn();
    }
    giveUp.abort();
    await assert.rejects(starting);
    assert.ok(worker.ended);
  }
});

test("a value that no worker can get fails its call, and no other", async () => {
  const { core, worker } = await started();
  worker.postMessage = (message) => worker.told.push(structuredClone(message));
  const client = core.open({}, "{}");
  const call = core.call({ operation: "listChats", client: client, args: "{}" });
  await assert.rejects(core.call({ operation: "sendMessage", client, args: "{}", files: [() => {}] }), { name: "DataCloneError" });
  worker.say("done", { id: idOf(worker, "listChats"), result: "chats" });
  assert.equal(await call, "chats");
});

test("a core that dies as it starts is served to no call", async () => {
  const { start, giveUp } = opened(); // as in a page
  giveUp.abort();
  await assert.rejects(start);
  const workers = [];
  globalThis.Worker = class extends FakeWorker {
    constructor(address) {
      super(address);
      workers.push(this);
      queueMicrotask(() => this.say("ready", { version }));
    }

    postMessage({ kind, id }) {
      if (kind === "start") {
        this.say("started");
        if (workers.length === 1) this.say("dead", failure("it ended"));
      } else if (kind === "call") {
        this.say("done", { id, result: { chats: [] } });
      }
    }
  };
  const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", worker: "https://site.example/dies.js" });
  assert.deepEqual(await sdk.listChats(), { chats: [] });
  assert.equal(workers.length, 2);
  sdk.close();
});

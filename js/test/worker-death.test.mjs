// What the page's half does about a worker that dies without an event.
import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { ChatSDK } from "../../dist/chatsdk.mjs";
import { attempt, FakeWorker, made, opened, started, version } from "./fake-worker.mjs";

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
  worker.say("ready", version);
  await turn();
  worker.say("started");
  await turn();
  return worker;
}

const outcomeOf = (call) => call.then((value) => value, ({ message }) => message);
const idOf = (worker, name) => worker.told.findLast(([kind, , what]) => kind === "call" && what === name)[1];

timed("close() while another worker is started: nothing is repeated but the client's stops, and what others do", async () => {
  const { core, worker } = await started();
  const [closing, other] = ["{}", "{}"].map((config) => core.bindings.newClient(config));
  const left = ["sendMessage", "listChats", "resumeStream"].map((name) => outcomeOf(core.call(name, closing, "{}")));
  outcomeOf(core.call("stop", closing, '{"streamId":"s1"}'));
  outcomeOf(core.call("listAgents", other, "{}"));
  await dies();
  assert.ok(worker.ended);
  core.bindings.closeClient(closing);
  const next = await replaced();
  assert.deepEqual(next.heard("call").map(([, , name, client]) => [name, client]), [["stop", closing], ["listAgents", other]]);
  assert.deepEqual(await Promise.all(left), left.map(() => died.message));
});

timed("what a client does that is freed while another worker is started fails", async () => {
  const { core } = await started();
  const client = core.bindings.newClient("{}");
  const call = outcomeOf(core.call("listChats", client, "{}"));
  await dies();
  core.bindings.freeClient(client);
  const next = await replaced();
  assert.deepEqual(next.heard("open", "call"), []);
  assert.equal(await call, died.message);
});

timed("a core that ends while another worker is started ends that worker at once", async () => {
  const { core } = await started();
  const call = outcomeOf(core.call("listChats", core.bindings.newClient("{}"), "{}"));
  await dies();
  core.end();
  await turn();
  assert.ok(FakeWorker.made.at(-1).ended);
  assert.equal(await call, "ChatSDK: the core was closed");
});

for (const [when, prepare] of [
  ["its script comes", () => {}],
  ["its program runs", (worker) => worker.say("ready", version)],
]) {
  timed(`another worker ends with its core before ${when}`, async () => {
    const { core } = await started();
    outcomeOf(core.call("listChats", core.bindings.newClient("{}"), "{}"));
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
  const call = core.call("listChats", core.bindings.newClient("{}"), "{}").catch((error) => error);
  await dies();
  mock.timers.tick(10_000);
  await turn();
  assert.equal((await call).code, "TIMEOUT");
});

timed("another worker that does not start in time is given up, and the calls may be made again", async () => {
  const { core } = await started();
  const call = core.call("listChats", core.bindings.newClient("{}"), "{}").catch((error) => error);
  await dies();
  const worker = FakeWorker.made.at(-1);
  worker.say("ready", version);
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
    const client = core.bindings.newClient(config);
    const before = FakeWorker.made.length;
    let outcome;
    core.call("listChats", client, args).catch((error) => (outcome = error));
    outcomeOf(core.call("resumeStream", client, "{}")); // so that the last death is seen, too
    for (let deaths = 1; ; deaths++) {
      await dies();
      if (outcome) {
        assert.equal(deaths, most + 1);
        break;
      }
      await replaced();
    }
    assert.equal(outcome.message, died.message);
    assert.ok(FakeWorker.made.slice(before, before + most).every((worker) => worker.heard("call").some(([, , name]) => name === "listChats")));
  });
}

timed("an answer that brings something in each worker goes on, however many die", async () => {
  const { core, worker } = await started();
  const heard = [];
  const call = core.call("sendMessageStream", core.bindings.newClient('{"maxRetries":0}'), "{}", undefined, (events) => heard.push(events));
  let last = worker;
  for (let n = 0; n < 5; n++) {
    const seen = { characters: n, others: {} };
    last.say("events", idOf(last, "sendMessageStream"), `${n}`, seen);
    await dies();
    last = await replaced();
    assert.deepEqual(last.heard("call")[0].at(-1), seen);
  }
  last.say("done", idOf(last, "sendMessageStream"), true);
  assert.equal(await call, true);
  assert.deepEqual(heard, ["0", "1", "2", "3", "4"]);
});

timed("what a dead worker still says is not heard", async () => {
  const { core, worker } = await started();
  const heard = [];
  const client = core.bindings.newClient("{}", async () => heard.push("asked"), undefined, async () => heard.push("carried"));
  const call = core.call("sendMessageStream", client, "{}", undefined, (events) => heard.push(events));
  const id = idOf(worker, "sendMessageStream");
  await dies();
  const say = () => {
    worker.say("events", id, "again", { characters: 5, others: {} });
    worker.say("ask", 1, client);
    worker.say("carry", 2, client, "look", "t1", "{}");
    worker.say("failed", id, ["api", '{"message":"of the dead"}', undefined, undefined]);
    worker.onerror({ message: "out of memory", preventDefault() {} });
  };
  say();
  const next = await replaced();
  say();
  next.say("events", id, "now", { characters: 3, others: {} });
  next.say("done", id, true);
  assert.equal(await call, true);
  assert.deepEqual(heard, ["now"]);
});

timed("the answer to a dead worker's question is given to no other worker", async () => {
  const { core, worker } = await started();
  let finish;
  const aborted = [];
  const client = core.bindings.newClient("{}", async () => "token", undefined, (_, id, __, signal) => {
    signal.addEventListener("abort", () => aborted.push(id));
    return new Promise((resolve) => (finish ??= resolve));
  });
  outcomeOf(core.call("sendMessageStream", client, "{}", undefined, () => {}));
  worker.say("carry", 1, client, "look", "t1", "{}");
  await dies();
  assert.deepEqual(aborted, ["t1"]);
  const next = await replaced();
  next.say("carry", 1, client, "look", "t2", "{}");
  finish("the result of t1");
  await turn();
  assert.deepEqual(next.heard("answer", "no answer"), []);
  next.say("leave", 1);
  assert.deepEqual(aborted, ["t1", "t2"]);
});

timed("a sign-in that a dead worker has begun is not begun again, and the next question begins another", async () => {
  const { core, worker } = await started();
  const asked = [];
  const client = core.bindings.newClient("{}", () => new Promise((resolve) => asked.push(resolve)));
  outcomeOf(core.call("listChats", client, "{}"));
  worker.say("ask", 1, client);
  await dies();
  const next = await replaced();
  next.say("ask", 1, client);
  assert.equal(asked.length, 1);
  next.say("ask", 2, client); // the core has waited for too long, and asks once more
  await turn();
  assert.equal(asked.length, 2);
  asked[0]("first");
  asked[1]("second");
  await turn();
  assert.deepEqual(next.heard("answer"), [["answer", 1, "first"], ["answer", 2, "second"]]);
});

timed("the cause of an error is what this worker's question brought, not a dead one's", async () => {
  const { core, worker } = await started();
  const [, second] = ["old", "new"].map((value) => core.bindings.newClient("{}", async () => { throw value; }));
  const [first] = [second - 1];
  outcomeOf(core.call("listChats", first, "{}"));
  const call = core.call("listAgents", second, "{}");
  worker.say("ask", 1, first);
  await turn();
  await dies();
  const next = await replaced();
  next.say("ask", 1, second);
  await turn();
  next.say("failed", idOf(next, "listAgents"), ["api", '{"message":"m"}', undefined, 1]);
  await assert.rejects(call, { cause: "new" });
});

test("a start that is given up ends its worker", async () => {
  for (const comes of [false, true]) {
    const { start, worker, giveUp } = opened();
    let starting = start;
    if (comes) {
      worker.say("ready", version);
      let forgotten = 0;
      starting = (await start)("https://site.example/chatsdk.wasm", 5000, made, attempt(() => (forgotten += 1), giveUp));
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
  const client = core.bindings.newClient("{}");
  const call = core.call("listChats", client, "{}");
  await assert.rejects(core.call("sendMessage", client, "{}", [() => {}]), { name: "DataCloneError" });
  worker.say("done", idOf(worker, "listChats"), "chats");
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
      queueMicrotask(() => this.say("ready", version));
    }

    postMessage([kind, id]) {
      if (kind === "start") {
        this.say("started");
        if (workers.length === 1) this.say("dead", ["api", '{"message":"it ended"}', undefined, undefined]);
      } else if (kind === "call") {
        this.say("done", id, { chats: [] });
      }
    }
  };
  const sdk = new ChatSDK({ baseUrl: "https://api.example.com", projectId: "p1", accessToken: "t", worker: "https://site.example/dies.js" });
  assert.deepEqual(await sdk.listChats(), { chats: [] });
  assert.equal(workers.length, 2);
  sdk.close();
});

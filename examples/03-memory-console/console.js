// The page: where the address leads, and how things are there.

import { CallQueue } from "./calls.js";
import { explain } from "./errors.js";
import { MemoryList } from "./list.js";
import { byId, count, notify, write } from "./page.js";
import { Poller } from "./poller.js";
import { Queue } from "./queue.js";
import { address, filterNames, route } from "./route.js";
import { Session } from "./session.js";
import { SettingsForm } from "./settings.js";
import { SignIn } from "./signin.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */
/** @typedef {import("../../dist/chatsdk.d.ts").Agent} Agent */

const session = new Session();

/** @type {import("./page.js").Page} */
const page = {
  get sdk() {
    return session.sdk;
  },

  changed: () => void poller.now(),

  done(text) {
    const outcome = byId("outcome");
    outcome.replaceChildren(text);
    for (const animation of outcome.getAnimations()) {
      animation.cancel();
      animation.play();
    }
  },

  failed(error, what) {
    const { text, details } = explain(error);
    notify(`${what} ${text} (${details})`);
    if (error.status === 401) {
      signOut(error);
    }
  },
};
const signIn = new SignIn(session, () => void poller.now());
const [queue, calls, list, settings] = [new Queue(page), new CallQueue(page), new MemoryList(page), new SettingsForm(page)];
const poller = new Poller(look, tellOfConnection);

/** @type {Agent[]} */
let agents = [];
/** Those that the chooser has. @type {Agent[] | undefined} */
let listed;
/** The agent that is shown. */
let current = "";
/** The words of the memories that others contradict, by id. @type {Map<string, string>} */
const contradicted = new Map();

/** Asks how things are where the address leads, and gives what shows it. */
async function look() {
  await session.open();
  if (page.sdk === undefined) {
    return showSession;
  }
  if (agents.length === 0) {
    ({ agents } = await page.sdk.listAgents());
  }
  const to = route();
  const agent = agents.find(({ id }) => id === to.agent) ?? agents[0];
  if (agent === undefined) {
    return showNoAgents;
  }
  const { user, type, status } = /** @type {any} */ (to.filters);
  const [stats, agentSettings, awaiting, pending, found] = await Promise.all([
    page.sdk.getMemoryStats(agent.id),
    page.sdk.getMemorySettings(agent.id),
    awaitingCalls(),
    to.view === "review" ? page.sdk.listPendingMemories({ agentId: agent.id }) : undefined,
    to.view === "memories"
      ? page.sdk.listMemories(agent.id, { userId: user || undefined, type: type || undefined, status: status || undefined })
      : undefined,
  ]);
  const waiting = pending && await withConflicts(pending.approvals);
  const waitingCalls = awaiting.filter(({ agent_id: id, approval }) => id === agent.id && approval === "admin");
  return () => {
    showSession();
    showAgent(agent, to.view);
    showStats(agent, stats, waitingCalls.length);
    byId("off").hidden = agentSettings.memory_enabled || to.view === "settings" || to.view === "calls";
    calls.show(waitingCalls);
    settings.show(agent.id, agentSettings);
    if (waiting) {
      queue.show(waiting, agentSettings, stats.total);
    }
    if (found) {
      list.show(found, user + type + status !== "", agentSettings.memory_enabled);
    }
    showView(to.view);
  };
}

/** Adds what each contradicts, in words, or else by id. @param {Memory[]} memories */
async function withConflicts(memories) {
  const unknown = memories.filter(({ conflicts_with: ids }) => ids?.some((id) => !contradicted.has(id)));
  const owners = new Map(unknown.map(({ agent_id: agent, user_id: user }) => [`${agent} ${user}`, { agent, user }]));
  await Promise.all([...owners.values()].map(async ({ agent, user }) => {
    for (const { id, memory_content: content } of await page.sdk.listUserMemories(agent, user, { status: "approved" })) {
      contradicted.set(id, content);
    }
  }));
  return memories.map((memory) => ({ ...memory, conflicts: (memory.conflicts_with ?? []).map((id) => contradicted.get(id) ?? id) }));
}

/** @param {Agent} agent @param {string} view */
function showAgent({ id, name }, view) {
  const chooser = byId("agent");
  if (listed !== agents) {
    listed = agents;
    chooser.replaceChildren(...agents.map((agent) => new Option(agent.name, agent.id)));
    chooser.disabled = false;
  }
  if (id !== current) {
    current = id;
    list.forget();
  }
  chooser.value = id;
  for (const element of document.querySelectorAll("[data-part=agent]")) {
    write(element, name);
  }
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("[data-view]"))) {
    link.href = address(id, link.dataset["view"] ?? "");
    link.ariaCurrent = link.dataset["view"] === view ? "page" : null;
  }
}

/** Where each figure leads. @type {Record<string, [string, Record<string, string>]>} */
const figures = {
  total: ["memories", {}],
  approved: ["memories", { status: "approved" }],
  pending: ["review", {}],
  rejected: ["memories", { status: "rejected" }],
  users: ["memories", {}],
};

/** All calls that wait for a decision, and may be seen. */
async function awaitingCalls() {
  const all = [];
  for (let cursor; ;) {
    const list = await page.sdk.listToolCalls({ status: "awaiting", cursor });
    all.push(...list.tool_calls);
    cursor = list.next_cursor;
    if (cursor === undefined) {
      return all;
    }
  }
}

/** @param {Agent} agent @param {any} stats @param {number} callsWaiting */
function showStats({ id }, stats, callsWaiting) {
  for (const [name, [view, filters]] of Object.entries(figures)) {
    const link = /** @type {HTMLAnchorElement} */ (byId("stats").querySelector(`[data-stat=${name}]`));
    link.href = address(id, view, filters);
    write(/** @type {Element} */ (link.querySelector("b")), stats[name].toLocaleString("en"));
  }
  write(/** @type {Element} */ (byId("stats").querySelector("[data-stat=users] span")), stats.users === 1 ? "user" : "users");
  const review = stats.pending > 0 ? `Review (${stats.pending.toLocaleString("en")})` : "Review";
  write(/** @type {Element} */ (document.querySelector("[data-view=review]")), review);
  write(/** @type {Element} */ (document.querySelector("[data-view=calls]")), callsWaiting > 0 ? `Calls (${callsWaiting.toLocaleString("en")})` : "Calls");
  const all = stats.pending + callsWaiting;
  document.title = all > 0 ? `(${all}) Memory console` : "Memory console";
}

/** @param {string} view */
function showView(view) {
  for (const section of document.querySelectorAll("main > section")) {
    /** @type {HTMLElement} */ (section).hidden = section.id !== view;
  }
  byId("main").ariaBusy = "false";
}

function showSession() {
  document.documentElement.toggleAttribute("data-demo", session.isDemo);
  signIn.show();
}

/** Gives up a token that the service refused. @param {any} error */
function signOut(error) {
  session.end();
  if (page.sdk === undefined) {
    agents = [];
    notify("");
    write(byId("connection"), "");
    signIn.show(error.code === "TOKEN_EXPIRED" ? "Your token has expired. Sign in with a new one." : "The service takes your token no more. Sign in with another.");
  }
}

function showNoAgents() {
  showSession();
  byId("main").ariaBusy = "false";
  notify("There is no agent that you may see. AGENTS of the service lists them.");
}

/** @param {any} error @param {number} pause */
function tellOfConnection(error, pause) {
  if (error === undefined) {
    write(byId("connection"), "");
    page.done("Connected again");
    return;
  }
  if (error.status === 401) {
    signOut(error);
    if (page.sdk === undefined) {
      return;
    }
  }
  if (error.status === 404) {
    agents = [];
  }
  const { text, details } = explain(error);
  byId("connection").title = details;
  write(byId("connection"), `${text} Looking again in ${count(pause / 1000, "second", "seconds")}.`);
}

/** Shows in the filters what the address says. */
function fillFilters() {
  const { filters } = route();
  for (const name of filterNames) {
    const field = byId("filters").elements[name];
    if (field.value !== filters[name]) {
      field.value = filters[name];
    }
  }
}

/** Goes where the filters lead. */
function filter() {
  const values = Object.fromEntries(filterNames.map((name) => [name, byId("filters").elements[name].value]));
  history.replaceState(null, "", address(current, "memories", values));
  void poller.now();
}

function listen() {
  addEventListener("hashchange", () => {
    notify("");
    byId("outcome").replaceChildren();
    fillFilters();
    void poller.now();
  });
  byId("agent").addEventListener("change", () => (location.hash = address(byId("agent").value, route().view)));
  byId("filters").addEventListener("change", filter);
  byId("filters").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  byId("filters").addEventListener("reset", (/** @type {Event} */ event) => {
    event.preventDefault();
    location.hash = address(current, "memories");
  });
  byId("off").querySelector("button").addEventListener("click", async () => {
    await settings.change(current, { memoryEnabled: true }, "Memory is on");
    byId("main").focus();
  });
  byId("skip").addEventListener("click", () => byId("main").focus());
  byId("notice").querySelector("button").addEventListener("click", () => notify(""));
  setInterval(() => {
    queue.tick();
    calls.tick();
    list.tick();
  }, 1000);
}

listen();
fillFilters();
void poller.now();

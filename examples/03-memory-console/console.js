// The page: it shows the view that the address names, and keeps it up to date.

import { CallQueue } from "./calls.js";
import { showDetection } from "./detection.js";
import { Editor } from "./editor.js";
import { ErasureList } from "./erasures.js";
import { explain } from "./errors.js";
import { MemoryList } from "./list.js";
import { showAgent, showStats, showView } from "./overview.js";
import { byId, count, notify, write } from "./page.js";
import { Poller } from "./poller.js";
import { Queue } from "./queue.js";
import { address, route } from "./route.js";
import { Session } from "./session.js";
import { SettingsForm } from "./settings.js";
import { SignIn } from "./signin.js";
import { Source } from "./source.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Agent} Agent */

const session = new Session();

/** @type {import("./page.js").Page} */
const page = {
  get sdk() {
    return session.sdk;
  },
  get user() {
    return session.user;
  },

  changed: () => void poller.now(),
  refused: signOut,
  leave: (path, body) => session.leave(path, body),

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
const editor = new Editor(page);
const [queue, calls, list, source] = [new Queue(page), new CallQueue(page), new MemoryList(page, editor), new Source(page, editor)];
const [erasures, settings] = [new ErasureList(page), new SettingsForm(page)];
const poller = new Poller(look, tellOfConnection);

/**
 * A function that loads a view's data, and returns a function that shows it.
 * @typedef {(sdk: any, agent: string, filters: Record<string, string>, stats: Promise<any>) => Promise<(settings: any) => void>} Look
 */

/** The views that load more than what all views load. @type {Record<string, {look: Look}>} */
const views = { review: queue, memories: list, source, erasures };

/** @type {Agent[]} */
let agents = [];
/** The agent that is shown. */
let current = "";

/** Loads the data of the view that the address names, and returns a function that shows it. */
async function look() {
  await session.open();
  const { sdk } = page;
  if (sdk === undefined) {
    return showSession;
  }
  if (agents.length === 0) {
    ({ agents } = await sdk.listAgents());
  }
  const to = route();
  const agent = agents.find(({ id }) => id === to.agent) ?? agents[0];
  if (agent === undefined) {
    return showNoAgents;
  }
  const counts = sdk.getMemoryStats(agent.id);
  const [stats, agentSettings, awaiting, show] = await Promise.all([
    counts,
    sdk.getMemorySettings(agent.id),
    awaitingCalls(sdk),
    views[to.view]?.look(sdk, agent.id, to.filters, counts),
  ]);
  const waitingCalls = awaiting.filter(({ agent_id: id, approval }) => id === agent.id && approval === "admin");
  return () => {
    if (sdk !== page.sdk) {
      return; // the user who asked has signed out
    }
    current = agent.id;
    showSession();
    showAgent(agents, agent, to.view);
    showStats(agent, stats, waitingCalls.length);
    showDetection(stats.detection);
    byId("off").hidden = agentSettings.memory_enabled || !["review", "memories"].includes(to.view);
    calls.show(waitingCalls);
    settings.show(agent.id, agentSettings);
    show?.(agentSettings);
    showView(to.view);
  };
}

/** All calls that wait for a decision and that the user may see. @param {any} sdk */
async function awaitingCalls(sdk) {
  const all = [];
  for (let cursor; ;) {
    /** @type {import("../../dist/chatsdk.d.ts").ListToolCallsResponse} */
    const list = await sdk.listToolCalls({ status: "awaiting", cursor });
    all.push(...list.tool_calls);
    cursor = list.next_cursor;
    if (cursor === undefined) {
      return all;
    }
  }
}

function showSession() {
  document.documentElement.toggleAttribute("data-demo", session.isDemo);
  signIn.show();
}

/** Signs out after the service refused the token. @param {any} error */
function signOut(error) {
  session.end();
  if (page.sdk === undefined) {
    queue.giveUp(error);
    agents = [];
    notify("");
    write(byId("connection"), "");
    signIn.show(error.code === "TOKEN_EXPIRED"
      ? "Your token has expired. Sign in with a new one."
      : "The service no longer accepts your token. Sign in with another.");
  }
}

function showNoAgents() {
  showSession();
  byId("main").ariaBusy = "false";
  notify("There are no agents that you may see. The service's AGENTS setting lists them.");
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
  write(byId("connection"), `${text} Trying again in ${count(pause / 1000, "second", "seconds")}.`);
}

/** Shows the filters of the address in the form. */
function fillFilters() {
  queue.fill();
  list.fill();
}

function listen() {
  addEventListener("hashchange", () => {
    notify("");
    byId("outcome").replaceChildren();
    fillFilters();
    void poller.now();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && poller.now());
  byId("agent").addEventListener("change", () => (location.hash = address(byId("agent").value, route().view)));
  byId("off").querySelector("button").addEventListener("click", async () => {
    await settings.change(current, { memoryEnabled: true }, "Memory is on");
    byId("main").focus();
  });
  byId("skip").addEventListener("click", () => byId("main").focus());
  byId("notice").querySelector("button").addEventListener("click", () => notify(""));
  setInterval(() => {
    for (const view of [queue, calls, list, source]) {
      view.tick();
    }
  }, 1000);
}

listen();
fillFilters();
void poller.now();

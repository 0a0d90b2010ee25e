// The part above every view: the agent, the figures, and the links to the views.

import { byId, write } from "./page.js";
import { address } from "./route.js";

/** @typedef {import("../../dist/chatsdk.d.ts").Agent} Agent */

/** The agents in the chooser. @type {Agent[] | undefined} */
let listed;

/** @param {Agent[]} agents @param {Agent} current @param {string} view */
export function showAgent(agents, { id, name }, view) {
  const chooser = byId("agent");
  if (listed !== agents) {
    listed = agents;
    chooser.replaceChildren(...agents.map((agent) => new Option(agent.name, agent.id)));
    chooser.disabled = false;
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

/** The view and filters that each figure links to. @type {Record<string, [string, Record<string, string>]>} */
const figures = {
  total: ["memories", {}],
  approved: ["memories", { status: "approved" }],
  pending: ["review", {}],
  rejected: ["memories", { status: "rejected" }],
  superseded: ["memories", { status: "superseded" }],
  users: ["memories", {}],
};

/**
 * The superseded ones count apart: nobody rejected them.
 * @param {Agent} agent @param {any} counts @param {number} callsWaiting
 */
export function showStats({ id }, counts, callsWaiting) {
  const superseded = counts.superseded ?? 0;
  const stats = { ...counts, superseded, rejected: counts.rejected - superseded };
  for (const [name, [view, filters]] of Object.entries(figures)) {
    const link = /** @type {HTMLAnchorElement} */ (byId("stats").querySelector(`[data-stat=${name}]`));
    link.href = address(id, view, filters);
    write(/** @type {Element} */ (link.querySelector("b")), stats[name].toLocaleString("en"));
  }
  tellHowMany("review", "Review", stats.pending);
  tellHowMany("calls", "Calls", callsWaiting);
  const all = stats.pending + callsWaiting;
  document.title = all > 0 ? `(${all}) Memory console` : "Memory console";
}

/** @param {string} view @param {string} name @param {number} many */
function tellHowMany(view, name, many) {
  write(/** @type {Element} */ (document.querySelector(`[data-view=${view}]`)), many > 0 ? `${name} (${many.toLocaleString("en")})` : name);
}

/** @param {string} view */
export function showView(view) {
  for (const section of document.querySelectorAll("main > section")) {
    /** @type {HTMLElement} */ (section).hidden = section.id !== view;
  }
  byId("main").ariaBusy = "false";
}

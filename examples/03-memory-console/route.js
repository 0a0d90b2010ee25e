// The address: #agent/view?filters.

/** @typedef {{agent: string, view: string, filters: Record<string, string>}} Route */

const views = ["review", "calls", "memories", "source", "erasures", "settings"];
const filterNames = ["user", "type", "status", "waits_for", "sort", "message", "chat"];

/** The filters that have only some values. @type {Record<string, string[]>} */
const values = {
  type: ["preference", "fact", "context"],
  status: ["pending", "approved", "rejected", "superseded"],
  waits_for: ["review", "foreign", "instruction", "address", "close", "deleted"],
};

/** A filter of the address, empty if its value is not a known one. @param {string} name @param {string} value */
function known(name, value) {
  return values[name]?.includes(value) === false ? "" : value;
}

/** @returns {Route} the agent is empty if the address names none. */
export function route() {
  const [path = "", query = ""] = location.hash.slice(1).split("?");
  const [agent = "", view = ""] = path.split("/");
  const given = new URLSearchParams(query);
  return {
    agent: decode(agent),
    view: views.includes(view) ? view : "review",
    filters: Object.fromEntries(filterNames.map((name) => [name, known(name, given.get(name) ?? "")])),
  };
}

/** @param {string} agent @param {string} view @param {Record<string, string>} [filters] */
export function address(agent, view, filters = {}) {
  const set = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== ""));
  return `#${encodeURIComponent(agent)}/${view}${set.size > 0 ? `?${set}` : ""}`;
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

import { count } from "./page.js";
import { readAll } from "./pages.js";

/** Saves a user's memories as a file, with the service's field names. Returns the outcome. @param {any} sdk @param {string} agent @param {string} user */
export async function exportMemories(sdk, agent, user) {
  const memories = await readAll(async (page) => {
    const { memories, next_cursor } = await sdk.listUserMemories(agent, user, page);
    return { items: memories, next_cursor };
  });
  const text = JSON.stringify({ agent_id: agent, user_id: user, exported_at: Date.now() / 1000, memories }, null, 2);
  save(`memories-${named(agent)}-${named(user)}.json`, new Blob([text], { type: "application/json" }));
  return `Exported: ${count(memories.length, "memory", "memories")} of ${user}`;
}

/** An id in a form that fits into a file name. @param {string} id */
function named(id) {
  return id.replaceAll(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 60);
}

/** @param {string} name @param {Blob} content */
function save(name, content) {
  const link = document.createElement("a");
  link.download = name;
  link.href = URL.createObjectURL(content);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the browser may ask where to save the file
}

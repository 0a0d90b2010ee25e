/** @typedef {import("../../dist/chatsdk.d.ts").Memory} Memory */

/** For how many users one look requests the room: each user costs a request. */
const mostUsers = 20;

/** After this many looks everything is loaded again, because an edit does not change any count. */
const forgotten = 10;

/** Other memories and users' room, kept until something changes. */
export class Known {
  /** @type {Map<string, Memory>} */
  #memories = new Map();
  /** The users, by agent and id, whose memories have all been loaded. @type {Set<string>} */
  #users = new Set();
  /** @type {Map<string, any>} */
  #rooms = new Map();
  #state = "";
  #looks = 0;

  /**
   * Adds to each memory the ones that it contradicts or is close to, and what room there is for it.
   * @param {any} sdk @param {Memory[]} memories @param {any} stats of the agent; they change when its memories do
   */
  async beside(sdk, memories, stats) {
    const state = JSON.stringify(stats);
    this.#looks += 1;
    if (state !== this.#state || this.#looks % forgotten === 0) {
      this.#state = state;
      for (const known of [this.#memories, this.#users, this.#rooms]) {
        known.clear();
      }
    }
    const owners = new Map(memories.map((memory) => [keyOf(memory), memory]));
    const linked = memories.filter((memory) => idsOf(memory).some(({ id }) => !this.#memories.has(id)));
    const unread = new Map(linked.filter((memory) => !this.#users.has(keyOf(memory))).map((memory) => [keyOf(memory), memory]));
    await Promise.all([
      ...[...unread].map(([key, owner]) => this.#readMemories(sdk, key, owner)),
      ...[...owners].filter(([key]) => !this.#rooms.has(key)).slice(0, mostUsers).map(([key, owner]) => this.#readRoom(sdk, key, owner)),
    ]);
    return memories.map((memory) => ({
      ...memory,
      others: idsOf(memory).map(({ id, relation }) => ({ id, relation, memory: this.#memories.get(id) })),
      room: roomOf(this.#rooms.get(keyOf(memory)), memory),
    }));
  }

  /** @param {any} sdk @param {string} key @param {Memory} owner */
  async #readMemories(sdk, key, { agent_id: agent, user_id: user }) {
    for (const memory of await sdk.listUserMemories(agent, user)) {
      this.#memories.set(memory.id, memory);
    }
    this.#users.add(key);
  }

  /** @param {any} sdk @param {string} key @param {Memory} owner */
  async #readRoom(sdk, key, { agent_id: agent, user_id: user }) {
    const { room } = await sdk.getMemoryStats(agent, { userId: user });
    this.#rooms.set(key, room);
  }
}

/** @param {Memory} memory */
function keyOf({ agent_id: agent, user_id: user }) {
  return JSON.stringify([agent, user]);
}

/** The ids of the memories that a memory contradicts or is close to. @param {Memory} memory @returns {{id: string, relation: "conflict" | "close"}[]} */
function idsOf({ conflicts_with: conflicts = [], close_to: close = [] }) {
  return [
    ...conflicts.map((id) => ({ id, relation: /** @type {const} */ ("conflict") })),
    ...close.filter((id) => !conflicts.includes(id)).map((id) => ({ id, relation: /** @type {const} */ ("close") })),
  ];
}

/** From this part of the room on, a warning is shown. */
const nearlyFull = 0.9;

/**
 * A warning if a user's memories no longer fit, or will not fit with one more; otherwise empty.
 * @param {any} room @param {Memory} [memory] the additional one
 */
export function roomOf(room, memory) {
  if (room === undefined) {
    return "";
  }
  const { used_bytes: used, room_bytes: most, left_out: left } = room;
  if (left > 0) {
    const who = left === 1 ? "1 memory of this user no longer fits" : `${left} memories of this user no longer fit`;
    return `${who} into the prompt, a quarter of which is for memories: those that were approved first are left out. Delete or shorten some.`;
  }
  const more = memory === undefined ? 0 : new TextEncoder().encode(memory.memory_content).length;
  const isTight = used + more > most || used > nearlyFull * most;
  const part = Math.round((100 * used) / most);
  return isTight ? `The memories of this user take ${part} % of their room in the prompt: those that were approved first will soon be left out.` : "";
}

/** Who answers, as the service lists them. */
export class Agents {
  /** Settles when they are there, or cannot be had: the page does without. @type {Promise<void>} */
  ready;

  /** @type {import("../../dist/chatsdk.d.ts").Agent[]} */
  #agents = [];

  /** @param {import("../../dist/chatsdk.d.ts").ChatSDK} sdk */
  constructor(sdk) {
    this.ready = sdk.listAgents().then(
      ({ agents }) => void (this.#agents = agents),
      () => {},
    );
  }

  /** The one that answers, with its model where it has one of its own. */
  get first() {
    const [agent] = this.#agents;
    return agent === undefined ? "" : [agent.name, agent.model].filter(Boolean).join(" · ");
  }

  /** The name of an agent, by default of the one that answers. @param {string} [id] */
  name(id = this.#agents[0]?.id) {
    return this.#agents.find((agent) => agent.id === id)?.name ?? id ?? "Assistant";
  }
}

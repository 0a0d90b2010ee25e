/** The agents and models that the service offers. */
export class Agents {
  /** Settles when the list has arrived or failed: the page works without it. @type {Promise<void>} */
  ready;
  /** The first one answers by default. @type {import("../../dist/chatsdk.d.ts").Agent[]} */
  all = [];
  /** @type {string[]} */
  models = [];

  /** @param {import("../../dist/chatsdk.d.ts").ChatSDK} sdk */
  constructor(sdk) {
    this.ready = sdk.listAgents().then(
      ({ agents, models }) => void ([this.all, this.models] = [agents, models]),
      () => {},
    );
  }

  /** The models that a message to an agent may name; an older service says only which there are. @param {string} [id] @returns {string[]} */
  modelsOf(id) {
    return (this.all.find((one) => one.id === id) ?? this.all[0])?.models ?? this.models;
  }

  /** Names the agent that answers, and the model if one is chosen. @param {string} [id] @param {string} [model] */
  describe(id, model) {
    const agent = this.all.find((one) => one.id === id) ?? this.all[0];
    return agent === undefined ? "" : [agent.name, model ?? agent.model].filter(Boolean).join(" · ");
  }

  /** The name of an agent; by default the one that answers. @param {string} [id] */
  name(id = this.all[0]?.id) {
    return this.all.find((agent) => agent.id === id)?.name ?? id ?? "Assistant";
  }
}

/** Who answers, as the service lists them. */
export class Agents {
  /** Settles when they have come or failed: the page works without them. @type {Promise<void>} */
  ready;
  /** The first answers by default. @type {import("../../dist/chatsdk.d.ts").Agent[]} */
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

  /** Says who answers, with the model where one is named. @param {string} [id] @param {string} [model] */
  describe(id, model) {
    const agent = this.all.find((one) => one.id === id) ?? this.all[0];
    return agent === undefined ? "" : [agent.name, model ?? agent.model].filter(Boolean).join(" · ");
  }

  /** The name of an agent, by default of the one that answers. @param {string} [id] */
  name(id = this.all[0]?.id) {
    return this.all.find((agent) => agent.id === id)?.name ?? id ?? "Assistant";
  }
}

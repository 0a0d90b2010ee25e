import { plain } from "./arguments.js";
import { definitions } from "./carry.js";
import { inBrowser } from "./config.js";
import type { AnyCore } from "./load.js";
import type { ChatSDKConfig } from "./options.js";

/** The client as one running core knows it. */
export interface Handle {
  core?: AnyCore;
  id?: number;
}

/** Frees the client of an SDK object that nobody holds any more. An older workerd has no such class. */
export const handles = globalThis.FinalizationRegistry && new FinalizationRegistry<Handle>(letGo);

/** Forgets a client; what it has begun goes on. */
export function letGo({ core, id }: Handle): void {
  if (core && id !== undefined && !core.dead) {
    core.bindings.freeClient(id);
    core.clients -= 1;
  }
}

/** Milliseconds that a core outlives its last client, in which answers that were left just before are stopped; see unknownKey in sdk/stop.go. */
export const grace = 5000;

/** Ends a core that no client has any more. */
export function free(core: AnyCore): void {
  if (core.clients === 0) {
    core.end();
  }
}

/** What the core is told of a configuration, as JSON. */
export function settings(config: ChatSDKConfig): string {
  const { wasmURL: _, wasmModule: __, worker: ___, dangerouslyAllowBrowser: ____, logger: _____, accessToken, tools, ...rest } = config;
  const token = typeof accessToken === "function" ? undefined : accessToken;
  return plain("ChatSDK", { ...rest, accessToken: token, tools: definitions(tools), pageOrigin: foreignOrigin(config.baseUrl) });
}

/** The page's origin, where the service has another. */
function foreignOrigin(baseUrl: string): string | undefined {
  const origin = inBrowser() ? globalThis.location?.origin : undefined;
  return origin === new URL(baseUrl).origin ? undefined : origin;
}

import { plain } from "./arguments.js";
import { definitions } from "./carry.js";
import type { Channel } from "./channel.js";
import { inBrowser } from "./config.js";
import { resolved } from "./native.js";
import type { ChatSDKConfig } from "./options.js";

/** The client in one running core. */
export interface Handle {
  core?: Channel;
  id?: number;
}

/** Frees the client of an SDK object that was garbage-collected. Older versions of workerd do not have this class. */
export const handles = globalThis.FinalizationRegistry && new FinalizationRegistry<Handle>(letGo);

/** Forgets a client. The operations that it has begun continue. */
export function letGo({ core, id }: Handle): void {
  if (core && id !== undefined && !core.dead) {
    core.free(id);
    core.clients -= 1;
  }
}

/**
 * How many milliseconds a core lives after its last client. In this time it stops answers that were
 * left just before; see unknownKey in sdk/stop.go.
 */
const grace = 5000;

/** Ends a core that no longer has a client, after the calls that it has. */
export function free(core: Channel): void {
  if (core.clients === 0) {
    core.busy ? freeLater(core) : core.end();
  }
}

/** Frees a core after the time in which it stops answers. */
export function freeLater(core: Channel, before?: () => void): void {
  const timer = setTimeout(() => {
    before?.();
    free(core);
  }, grace);
  (timer as { unref?(): void }).unref?.(); // so that a program on a server need not wait
}

/** The part of a configuration that the core gets, as JSON. Functions that stay in the page are `true`. */
export function settings(config: ChatSDKConfig): string {
  const { tools, baseUrl } = config;
  const inPage = { wasmURL: undefined, wasmModule: undefined, worker: undefined, dangerouslyAllowBrowser: undefined, fetch: undefined };
  return plain("ChatSDK", { ...config, ...inPage, tools: definitions(tools), pageOrigin: foreignOrigin(baseUrl) });
}

/** The page's origin, if the service has another one. */
function foreignOrigin(baseUrl: string): string | undefined {
  const origin = inBrowser() ? globalThis.location?.origin : undefined;
  return origin === resolved(baseUrl).origin ? undefined : origin;
}

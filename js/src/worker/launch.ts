import source from "worker_source";

import type { FromCore } from "../messages.js";
import { promise, urls } from "../native.js";

/** Milliseconds after which a script that says nothing is given up. */
const patience = 10_000;

/** The part of Trusted Types that is used; TypeScript does not know it. A trusted address may be used like a string. */
interface Trust {
  createScriptURL(url: string): string;
}
declare const trustedTypes: { createPolicy(name: string, rules: Trust): Trust };

/**
 * Starts a worker, with the script at the address or the one inside this file. Rejects with an error that says what to
 * do; it is a TimeoutError if the script has not come within 10 s. The signal ends the worker.
 */
export async function launch(address: string | undefined, signal: AbortSignal): Promise<Worker> {
  const URLs = urls().find((known) => typeof known.createObjectURL === "function") ?? URL;
  const url = address ?? URLs.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return await ready(url, signal);
  } catch (reason) {
    const help = address === undefined
      ? "allow blob: in the worker-src of the Content-Security-Policy, or set the option worker to the address of chatsdk.worker.js"
      : `serve chatsdk.worker.js of version ${VERSION} there, from the page's origin, and allow it in the worker-src of the Content-Security-Policy`;
    const message = reason instanceof Error ? reason.message : "it failed";
    // Only Trusted Types make it a TypeError; each browser has its own text.
    const types = "allow the policy chatsdk in the trusted-types of the Content-Security-Policy, " +
      "with 'allow-duplicates' if the page has the SDK twice";
    const failure = new Error(`no worker could be started from ${address ?? "a blob: address"} (${message}); ${reason instanceof TypeError ? types : help}`);
    throw Object.assign(failure, reason instanceof DOMException && reason.name === "TimeoutError" && { name: "TimeoutError" });
  } finally {
    if (address === undefined) {
      URLs.revokeObjectURL(url);
    }
  }
}

let policy: Trust | undefined;

/** The address in the form that Trusted Types require, if they exist and the page allows the policy. */
function trusted(url: string): string {
  try {
    policy ??= trustedTypes.createPolicy("chatsdk", { createScriptURL: (url) => url });
    return policy.createScriptURL(url);
  } catch {
    return url;
  }
}

/** Waits until the script has reported that it runs. */
async function ready(url: string, signal: AbortSignal): Promise<Worker> {
  const worker = new Worker(trusted(url), { name: "chatsdk" });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let abort!: () => void;
  try {
    await promise<void>((resolve, reject) => {
      abort = () => reject(new Error("nobody waits for it any more"));
      signal.addEventListener("abort", abort);
      if (signal.aborted) {
        abort();
      }
      worker.onerror = (event) => {
        event.preventDefault(); // the page gets a warning
        reject(new Error(event.message || "it was refused, or is not there"));
      };
      worker.onmessage = ({ data }: MessageEvent<Partial<FromCore> | null | undefined>) => {
        if (data?.kind === "ready" && data.version === VERSION) {
          resolve();
        } else {
          reject(new Error("its script has another version"));
        }
      };
      timer = setTimeout(() => reject(new DOMException(`it sent nothing within ${patience / 1000} s`, "TimeoutError")), patience);
    });
    return worker;
  } catch (error) {
    worker.terminate();
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

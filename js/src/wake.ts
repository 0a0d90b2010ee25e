/** Calls `wake` when the network may be there again, until `signal` is aborted. */
export function listen(wake: () => void, signal: AbortSignal): void {
  const seen = () => {
    if (globalThis.document?.visibilityState !== "hidden") {
      wake();
    }
  };
  globalThis.addEventListener?.("online", seen, { signal });
  globalThis.addEventListener?.("pageshow", seen, { signal });
  globalThis.document?.addEventListener("visibilitychange", seen, { signal });
}

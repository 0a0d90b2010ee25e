/** Calls `wake` when the network may be back, and `goOffline` when there is none, until `signal` is aborted. */
export function listen(wake: () => void, goOffline: () => void, signal: AbortSignal): void {
  const look = (event?: Event) => {
    if (navigator.onLine === false) {
      goOffline();
    } else if (event?.type !== "visibilitychange" || !globalThis.document?.hidden) {
      wake();
    }
  };
  look();
  // The last event fires on the document and bubbles.
  for (const name of ["online", "offline", "pageshow", "visibilitychange"]) {
    addEventListener(name, look, { signal });
  }
}

/** Calls `wake` when the network may be there again, until `signal` is aborted. */
export function listen(wake: () => void, signal: AbortSignal): void {
  const seen = () => {
    if (globalThis.document?.visibilityState !== "hidden") {
      wake();
    }
  };
  // The last is the document's, from which it bubbles.
  for (const name of ["online", "pageshow", "visibilitychange"]) {
    globalThis.addEventListener?.(name, seen, { signal });
  }
}

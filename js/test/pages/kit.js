// What the tests do often in their pages.
globalThis.kit = (() => {
  /** An error as plain data. */
  function describe(error) {
    const { name, message, advice, status, code, detail, requestId, invalidFields, retryAfter } = error;
    return {
      name, message, advice, status, code, detail, requestId, invalidFields, retryAfter,
      cause: error.cause === undefined ? undefined : String(error.cause),
      isError: error instanceof Error,
      isAPIError: typeof ChatSDK === "function" && error instanceof ChatSDK.APIError,
    };
  }

  /** The error of a call that must fail. */
  async function failure(call) {
    let value;
    try {
      value = await (typeof call === "function" ? call() : call);
    } catch (error) {
      return describe(error);
    }
    throw new Error(`no failure, but ${JSON.stringify(value)}`);
  }

  const callbacks = ["onChunk", "onMessageObject", "onComplete", "onError", "onChatNameUpdate", "onDocumentChunk", "onMessageEnd"];

  /**
   * Sends a message and returns the callbacks that were called, in order, with
   * what they got. Callbacks in `options` are called as well; one that is `null`
   * is left out.
   */
  async function stream(sdk, message, options) {
    options ??= {};
    const heard = [];
    const given = {};
    for (const name of callbacks) {
      if (options[name] !== null) {
        given[name] = (...args) => {
          heard.push([name, ...args.map((arg) => (arg instanceof Error ? describe(arg) : arg))]);
          options[name]?.(...args);
        };
      }
    }
    const others = Object.entries(options).filter(([name]) => !callbacks.includes(name));
    const outcome = await sdk.sendMessageStream(message, { ...Object.fromEntries(others), ...given }).then(
      () => "resolved",
      (error) => describe(error),
    );
    return { heard, names: heard.map(([name]) => name), text: text(heard), outcome };
  }

  /** The text of the answer, from its chunks. */
  const text = (heard) => heard.filter(([name]) => name === "onChunk").map(([, chunk]) => chunk).join("");

  /** A promise with its resolve and its reject. */
  function deferred() {
    const d = {};
    d.promise = new Promise((resolve, reject) => Object.assign(d, { resolve, reject }));
    return d;
  }

  return { describe, failure, stream, deferred };
})();

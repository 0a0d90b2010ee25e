/**
 * The part of a ChatSDK that useChat needs. The test settles each call, for what
 * can happen between a call and its answer. Like the SDK's, a call ends when its
 * signal is aborted.
 */
export class ScriptedClient {
  /** Each call that was made: its name, and how it is settled. */
  calls = [];
  #waiting = [];

  getChatHistory = (chatId, options) => this.#call("getChatHistory", options);
  regenerateMessage = (chatId, id, options) => this.#call(`regenerateMessage ${id}`, options);
  resumeStream = (chatId, options) => this.#call("resumeStream", options);
  selectBranch = (chatId, id, options) => this.#call(`selectBranch ${id}`, options);
  stop = ({ streamId, idempotencyKey }) => this.#call(`stop ${streamId ?? (idempotencyKey && "a key")}`, {});

  /** Each event is a separate call; undefined is the end. */
  stream = (text, options) => {
    const stopped = Promise.withResolvers();
    const events = async function* (next) {
      for (let event, stop; stop === undefined; yield event) {
        [event, stop] = await Promise.race([next().then((one) => [one]), stopped.promise]);
        if (event === undefined) {
          return;
        }
      }
    };
    return Object.assign(events(() => this.#call(`event of ${text}`, options)), {
      stop: async () => {
        const { message } = await this.stop({ streamId: text });
        stopped.resolve([{ type: "complete", message }, true]);
      },
    });
  };

  /** An open call with this name, as soon as there is one. */
  async open(name) {
    for (let call; ; await new Promise((resolve) => this.#waiting.push(resolve))) {
      if ((call = this.calls.find((one) => one.name === name && one.isOpen)) !== undefined) {
        return call;
      }
    }
  }

  /** Settles a call that is open, or the next one: with an Error it fails. */
  async settle(name, value) {
    const call = await this.open(name);
    value instanceof Error ? call.reject(value) : call.resolve(value);
  }

  get names() {
    return this.calls.map(({ name }) => name);
  }

  #call(name, options) {
    const { promise, resolve, reject } = Promise.withResolvers();
    const settle = (end) => (value) => {
      call.isOpen = false;
      end(value);
    };
    const call = { name, options, resolve: settle(resolve), reject: settle(reject), isOpen: true };
    const abort = () => call.reject(new DOMException("aborted", "AbortError"));
    options.signal?.addEventListener("abort", abort);
    if (options.signal?.aborted) {
      abort();
    }
    this.calls.push(call);
    this.#waiting.splice(0).forEach((tell) => tell());
    return promise;
  }
}

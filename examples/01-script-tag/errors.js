import { copyOf, part } from "./page.js";

/** Something that the user can do: its name, its label, and the function. @typedef {[string, string, () => void]} Way */

const network = ["No connection.", "The service could not be reached. Check that it is running and that you are online."];
const internal = ["Something failed in the service.", "This is not your fault. Try again."];
const away = ["The service is unavailable.", "It does not answer at the moment. Try again soon."];

/** Failures in plain words, by code, otherwise by status. @type {Record<string, string[]>} */
const known = {
  NETWORK: network,
  STREAM_CUT: ["The connection was lost.", "The service goes on writing the answer, and keeps it."],
  CONFLICT: ["It was already decided.", "Somebody decided it in another window."],
  INTERNAL: internal,
  PROVIDER_FAILED: ["The model failed.", "It did not give a complete answer. Regenerate asks it again."],
  PROVIDER_TIMEOUT: ["The model did not answer.", "It took too long. Regenerate asks it again."],
  UNAVAILABLE: away,
  0: network,
  401: ["You were signed out.", "Try again, and the page signs you in again."],
  403: ["That is not allowed.", ""],
  404: ["This chat is gone.", "It was deleted, perhaps in another window."],
  413: ["That is too long or too large.", "Shorten it, or attach less, and try again."],
  429: ["That was too fast.", "Wait a moment and try again."],
  500: internal,
  502: away,
  503: away,
  504: away,
};

/** Codes with many causes: a wrong key, a busy model, a restart. The service's own message says which. */
const causes = ["PROVIDER_FAILED", "UNAVAILABLE"];

/**
 * Makes sentences of a message of the service, such as "The model is busy; try again in a moment".
 * @param {string} message
 */
function sentences(message) {
  return message.split("; ").map((part) => `${part.charAt(0).toUpperCase()}${part.slice(1)}.`);
}

/**
 * Says in a sentence what failed and what to do. The details are for the people who run the service.
 * @param {any} error
 */
export function explain({ message, code, status, detail, requestId, retryAfter }) {
  const [usual, advice = ""] = known[code] ?? known[status] ?? ["Something went wrong."];
  const isTold = Boolean(message) && causes.includes(code);
  const [title = usual, ...rest] = isTold ? sentences(message) : [];
  const text = rest.join(" ") || advice;
  const wait = retryAfter ? ` The service asks you to wait ${retryAfter} ${retryAfter === 1 ? "second" : "seconds"}.` : "";
  return { title, text: text + wait, details: [isTold ? "" : message, detail, code, requestId].filter(Boolean).join(" · ") };
}

/** Says in one line what was not done, and why. @param {any} error @param {string} what */
export function tell(error, what) {
  const { title, text } = explain(error);
  return `${what} ${title} ${text}`;
}

/** Makes the element that shows a failure among the messages. @param {any} error @param {Way[]} ways */
export function failure(error, ways) {
  const element = copyOf("failure");
  for (const [name, text] of Object.entries(explain(error))) {
    part(element, name).textContent = text;
  }
  for (const [action, label, go] of ways) {
    const button = document.createElement("button");
    [button.type, button.dataset.action, button.textContent] = ["button", action, label];
    button.addEventListener("click", go);
    part(element, "ways").append(button);
  }
  return element;
}

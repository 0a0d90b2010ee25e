// Who examines messages, and whether that fails.

import { timeOf } from "./memory.js";
import { byId, count, part, write } from "./page.js";

/** @typedef {import("../../dist/chatsdk.d.ts").DetectionFailure} Failure */

const refusesKey = "The model's provider rejects the key. Give the service a valid OPENAI_API_KEY.";

/** Advice for each status of a refusal by the provider. @type {Record<number, string>} */
const byStatus = {
  401: refusesKey,
  403: refusesKey,
  404: "The model's provider does not know this model or address. Check MODEL and OPENAI_BASE_URL of the service.",
  429: "The model's provider accepts no more requests at the moment. Check the limits and the credit of the account there.",
};

/** Advice for failures without a refusal. @type {Record<string, string>} */
const byCode = {
  UNAVAILABLE: "The model's provider cannot be reached. Check OPENAI_BASE_URL of the service, and its network.",
  PROVIDER_TIMEOUT: "The model does not answer in time. Choose a faster MODEL, or raise PROVIDER_TIMEOUT of the service.",
  PROVIDER_FAILED: "The model's answers cannot be used. The service's log has the reason; another MODEL may help.",
};

/** @param {Failure} failure */
function advice({ code, status }) {
  if (status === undefined) {
    return `${byCode[code] ?? "The service itself failed. Its log has the reason."} (${code})`;
  }
  const rest = status >= 500 ? "The model's provider has an internal error." : "The model's provider rejects the request. The service's log has its reason.";
  return `${byStatus[status] ?? rest} (${code}, status ${status})`;
}

/** @param {import("../../dist/chatsdk.d.ts").MemoryDetection | undefined} detection undefined if the service does not report it */
export function showDetection(detection) {
  const { detector, waiting = 0, failure } = detection ?? {};
  const isModel = detector === "model";
  write(byId("detector"), detector === undefined ? "" : isModel
    ? "A language model examines messages. If it fails five times on a message, the service's own rules examine it. They understand only English."
    : "The service's own rules examine messages. They understand only English: nothing is learned from what users say in other languages.");
  const box = byId("failing");
  box.hidden = failure === undefined;
  if (failure === undefined) {
    return;
  }
  const { since, failures, given_up: given } = failure;
  const left = given === 0 ? "" : `, ${count(given, "was", "were")} given up on${isModel ? " and examined without the model" : ""}`;
  const none = isModel ? "the model has examined no message" : "no message was examined";
  write(part(box, "counts"), `Since ${timeOf(since)} ${none}: ${count(failures, "attempt", "attempts")} failed, `
    + `${count(waiting, "message waits", "messages wait")}${left}.`);
  write(part(box, "advice"), advice(failure));
}

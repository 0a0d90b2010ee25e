const away = "The service does not answer.";

/** Failures in plain words, by status. @type {Record<string, string>} */
const known = {
  0: away,
  401: "You were signed out.",
  403: "You may not do that.",
  404: "It no longer exists.",
  409: "It is already decided.",
  429: "That was too fast. Wait a moment.",
  500: "Something failed in the service.",
  502: away,
  503: away,
  504: away,
};

/** Whether the request failed because of its statement. @param {any} error */
export function isOfStatement({ invalidFields }) {
  return invalidFields?.includes("memory_content") === true;
}

/** Says in a sentence what failed. The details are for the people who run the service. @param {any} error */
export function explain(error) {
  const { message, status, code, requestId } = error;
  const details = [message, code, requestId].filter(Boolean).join(" · ");
  if (isOfStatement(error) || code === "QUOTA_EXCEEDED") {
    return { text: `${message}.`, details: [code, requestId].filter(Boolean).join(" · ") };
  }
  return { text: known[status] ?? "Something went wrong.", details };
}

/** Whether an answer fits a shape; sdk/shape.go says what a shape is, and checks the answers that do not pass. */
export function holds(answer: unknown, shape: unknown): boolean {
  if (Array.isArray(shape)) {
    return Array.isArray(answer) && answer.every((item) => holds(item, shape[0]));
  }
  if (!isObject(shape)) {
    return typeof answer === typeof shape;
  }
  return isObject(answer) && Object.keys(shape).every((key) => {
    const part = shape[key];
    if (key === "*") {
      return Object.values(answer).every((item) => holds(item, part));
    }
    const needed = key[0] === "!";
    const member = answer[needed ? key.slice(1) : key] ?? undefined;
    return member === undefined ? !needed : holds(member, part);
  });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

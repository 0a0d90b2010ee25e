import { copyOf, member } from "./arguments.js";
import type { Functions } from "./channel.js";
import { textOf } from "./thrown.js";
import type { Tool, Tools } from "./tools.js";

/** How much of a result is sent, in bytes; see MaxResult in sdk/tools.go. */
const maxResult = 256 * 1024;

/** Finds the first invalid tool. sdk/tools.go checks the same for Go programs, and both run sdk/testdata/tools.json. */
export function checkTools(tools: unknown): void {
  if (tools == null) {
    return;
  }
  const wrong = (field: string, problem: string) => new TypeError(`ChatSDK: tools${field} ${problem}`);
  if (!isObject(tools)) {
    throw wrong("", `is ${what(tools)}, want tools by name`);
  }
  const all = Object.entries(tools);
  if (all.length > 64) {
    throw wrong("", `has ${all.length} tools, want at most 64`);
  }
  for (const [name, tool] of all) {
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw wrong(`.${name}`, "is not a tool name, want 1 to 64 of the characters a-z A-Z 0-9 _ -");
    }
    if (!isObject(tool)) {
      throw wrong(`.${name}`, `is ${what(tool)}, want {description, parameters, run}`);
    }
    for (const [field, value] of Object.entries({ description: undefined, parameters: undefined, run: undefined, ...toolOf(tool) })) {
      const problem = Object.hasOwn(rules, field) ? rules[field as keyof typeof rules](value) : `is unknown, want one of ${Object.keys(rules).join(", ")}`;
      if (problem) {
        throw wrong(`.${name}.${field}`, problem);
      }
    }
    member("ChatSDK", `tools.${name}.parameters`, (tool as Partial<Tool>).parameters);
  }
}

/** The fault in the fields of a tool. */
const rules = {
  description: (value: unknown) => (typeof value === "string" && value.trim() ? "" : "is blank, want what the tool does"),
  parameters: (value: unknown) => (isObject(value) && value.type === "object" ? "" : 'is not a JSON Schema with the type "object"'),
  run: (value: unknown) => (typeof value === "function" ? "" : `is ${what(value)}, want a function`),
  approval: (value: unknown) =>
    value == null || ["never", "user", "admin"].includes(value as string) ? "" : `is ${what(value)}, want one of never, user, admin`,
  idempotent: (value: unknown) => (value == null || typeof value === "boolean" ? "" : `is ${what(value)}, want true or false`),
  timeout: (value: unknown) =>
    value == null || (Number.isSafeInteger(value) && Number(value) >= 1000 && Number(value) <= 3_600_000)
      ? "" : `is ${what(value)}, want milliseconds from 1,000 to 3,600,000`,
};

/** A copy of a tool, of what a class gives it too. */
function toolOf(tool: Partial<Tool>): Partial<Tool> {
  return copyOf(tool, Object.keys(rules));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function what(value: unknown): string {
  return typeof value === "number" ? String(value) : value == null ? "missing" : Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

/** The definitions, in the form that the core takes. */
export function definitions(tools: Tools | null | undefined): readonly object[] | undefined {
  return tools == null ? undefined : Object.entries(tools).map(([name, tool]) => ({ ...toolOf(tool), run: undefined, name }));
}

/** Runs the calls of the tools. The page's function begins when the core is idle, and may call the SDK. */
export function carrier(tools: Tools): NonNullable<Functions["runTool"]> {
  return async (name, callId, args, signal) => {
    await undefined;
    let result: unknown;
    try {
      result = await tools[name]?.run(JSON.parse(args) as Record<string, unknown>, { callId, signal });
    } catch (error) {
      throw new Error(textOf(error, "message") || textOf(error, "name") || (typeof error === "object" ? "the tool failed" : String(error)));
    }
    return textFor(name, tools[name], result).slice(0, maxResult + 1);
  };
}

/** The tools that were seen to return nothing. */
const silent = new WeakSet<object>();

/** The text of a result. What JSON would lose is an error to the model, and to the page's developer. */
function textFor(name: string, tool: object | undefined, result: unknown): string {
  if (typeof result === "string") {
    return result;
  }
  if (result === undefined && tool && !silent.has(tool)) {
    silent.add(tool);
    console.warn(`ChatSDK: tools.${name}.run returned nothing, so the model gets null`);
  }
  try {
    return member(`tools.${name}.run`, "its result", result) ?? "null";
  } catch (error) {
    console.error("ChatSDK:", error);
    throw error;
  }
}

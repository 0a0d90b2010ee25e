// The declarations of tools and their calls as a user meets them; see types.test-d.ts.
import { ChatSDK, type ChatSDKConfig, type FromSchema, type JSONSchema, type Tool, type ToolCall, type ToolCallStatus } from "../../dist/chatsdk.js";

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const connection = { baseUrl: "https://a", projectId: "p", accessToken: "t" };

const weather = {
  type: "object",
  properties: {
    city: { type: "string" },
    days: { type: "integer", minimum: 1 },
    unit: { enum: ["celsius", "fahrenheit"] },
    places: { type: "array", items: { type: "object", properties: { lat: { type: "number" } }, required: ["lat"] } },
    note: { type: ["string", "null"] },
    either: { anyOf: [{ type: "string" }, { type: "boolean" }] },
    one: { oneOf: [{ const: 1 }, { const: "two" }] },
    any: {},
    open: { type: "object" },
    list: { type: "array" },
  },
  required: ["city", "unit"],
} as const;

interface Weather {
  city: string;
  unit: "celsius" | "fahrenheit";
  days?: number;
  places?: { lat: number }[];
  note?: string | null;
  either?: string | boolean;
  one?: 1 | "two";
  any?: unknown;
  open?: Record<string, unknown>;
  list?: unknown[];
}

export function schemas(): void {
  same<{ [K in keyof FromSchema<typeof weather>]: FromSchema<typeof weather>[K] }, { [K in keyof Weather]: Weather[K] }>(true);
  same<FromSchema<JSONSchema>, unknown>(true);
  same<FromSchema<{ readonly type: "object" }>, Record<string, unknown>>(true);
}

export function configured(): void {
  const sdk = new ChatSDK({
    ...connection,
    tools: {
      weather: {
        description: "d", parameters: weather,
        run(args, { callId, signal }) {
          same<typeof args.city, string>(true);
          same<typeof args.days, number | undefined>(true);
          same<typeof callId, string>(true);
          same<typeof signal, AbortSignal>(true);
          // @ts-expect-error the schema has no such property
          return args.town;
        },
      },
      written: {
        description: "d", approval: "never", idempotent: true, timeout: 5000,
        parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
        run: async ({ path }) => {
          same<typeof path, string>(true);
          return { path };
        },
      },
    },
  });
  const any: ChatSDK = sdk; // whatever its tools are
  void any;
  const tool: Tool<typeof weather> = { description: "d", parameters: weather, run: ({ city }) => city };
  new ChatSDK({ ...connection, tools: { tool } });
  const config: ChatSDKConfig = { ...connection, tools: { any: { description: "d", parameters: { type: "object" } as JSONSchema, run: (args) => args } } };
  new ChatSDK(config);
}

export async function calls(sdk: ChatSDK): Promise<void> {
  const { tool_calls: list, next_cursor: cursor } = await sdk.listToolCalls({ status: "awaiting", chatId: "c", messageId: "m", limit: 10 });
  same<typeof list, ToolCall[]>(true);
  same<typeof cursor, string | undefined>(true);
  same<Awaited<ReturnType<ChatSDK["getToolCall"]>>, ToolCall>(true);
  const { call } = await sdk.approveToolCall("t", { arguments: { city: "Paris" }, reason: "r", idempotencyKey: "k" });
  same<typeof call.status, ToolCallStatus>(true);
  await sdk.approveToolCall("t", { arguments: "{}" });
  await sdk.denyToolCall("t", "no", { idempotencyKey: "k" });
  await sdk.sendMessageStream("hi", { onToolCall: ({ name, arguments: args }) => name + args });
  for await (const event of sdk.stream("hi")) {
    if (event.type === "tool_call") {
      same<typeof event.call, ToolCall>(true);
    }
  }
  const answer = await sdk.sendMessage("hi");
  same<typeof answer.stream_id, string | undefined>(true);
  same<typeof answer.message.tool_calls, ToolCall[] | undefined>(true);
}

export function negative(sdk: ChatSDK): void {
  // @ts-expect-error a tool needs its run
  new ChatSDK({ ...connection, tools: { look: { description: "d", parameters: { type: "object" } } } });
  // @ts-expect-error no such approver
  new ChatSDK({ ...connection, tools: { look: { description: "d", parameters: { type: "object" }, approval: "anyone", run: () => "" } } });
  // @ts-expect-error an unknown field
  new ChatSDK({ ...connection, tools: { look: { description: "d", parameters: { type: "object" }, run: () => "", execute: () => "" } } });
  // @ts-expect-error an unknown status
  void sdk.listToolCalls({ status: "pending" });
  // @ts-expect-error arguments are an object or the text of one
  void sdk.approveToolCall("t", { arguments: 5 });
  // @ts-expect-error the reason comes before the options
  void sdk.denyToolCall("t", { reason: "no" });
}

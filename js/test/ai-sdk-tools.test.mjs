// Tool calls in the AI SDK's own chat.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ChatSDKTransport, toUIMessages } from "../../dist/ai-sdk.mjs";
import { Chat, lastIsDecided, newSDK, question, reply, version } from "./ai-chat.mjs";
import { Desk } from "./desk.mjs";
import { until } from "./fake-fetch.mjs";

const call = (fields) => ({
  id: "t1", agent_id: "a1", chat_id: "c1", message_id: "m2", stream_id: "s1", at: 0, name: "pay", kind: "http", tool: "0a", approval: "user",
  description: "Pays.", arguments: '{"to":"Ada","n":1}', status: "awaiting", requested_at: 1, ...fields,
});
const input = { to: "Ada", n: 1 };
const user = { id: "ui-1", role: "user", parts: [{ type: "text", text: "hi" }] };

/** The parts of the last message: a text unchanged, a call as its state and its content. */
const shown = (chat) => chat.lastMessage.parts.map((part) => (part.type === "text" ? part.text : [part.state, part.output ?? part.errorText ?? part.approval?.reason].filter(Boolean).join(" ")));

async function chunksOf(stream) {
  const chunks = [];
  for await (const { providerMetadata: _, messageMetadata: __, ...chunk } of stream) {
    chunks.push(chunk);
  }
  return chunks;
}
const send = (fields) => new ChatSDKTransport(newSDK()).sendMessages({ trigger: "submit-message", chatId: "c1", messageId: undefined, messages: [user], abortSignal: undefined, ...fields });

test("chunks of an answer that calls a tool, and waits", async () => {
  const desk = new Desk();
  desk.chunk("One moment.");
  desk.call("t1", "awaiting", call({ at: 11 }));
  assert.deepEqual(await chunksOf(await send()), [
    { type: "start", messageId: "m2" },
    { type: "text-start", id: "text" }, { type: "text-delta", id: "text", delta: "One moment." }, { type: "text-end", id: "text" },
    { type: "tool-input-available", toolCallId: "t1", toolName: "pay", input, dynamic: true, providerExecuted: true },
    { type: "tool-approval-request", approvalId: "t1", toolCallId: "t1" },
    { type: "finish", finishReason: "tool-calls" },
  ]);
  assert.deepEqual(desk.asked.slice(1), ["GET /tool-calls?chat_id=c1&message_id=m2"], "nothing is stopped");
});

for (const [name, changes, want] of [
  ["runs without approval", [["approved", { approval: "never" }], ["running"], ["done", { result: "paid" }]], [["tool-input-available"], ["tool-output-available", "paid"]]],
  ["is approved elsewhere", [["approved"], ["done", { result: "" }]], [["tool-input-available"], ["tool-output-available", ""]]],
  ["fails", [["running", { approval: "never" }], ["failed", { error: "no money" }]], [["tool-input-available"], ["tool-output-error", "no money"]]],
  ["is lost", [["running", { approval: "never" }], ["unknown"]], [["tool-input-available"], ["tool-output-error", "it was begun, and nobody knows what became of it"]]],
  ["is denied at once", [["denied", { reason: "client" }]], [["tool-input-available"], ["tool-approval-request"], ["tool-approval-response", false], ["tool-output-denied"]]],
  ["expires", [["expired"]], [["tool-input-available"], ["tool-output-error", "nobody decided in time, and it was not carried out"]]],
]) {
  test(`chunks of a call that ${name}`, async () => {
    const desk = new Desk();
    for (const [status, fields] of changes) {
      desk.call("t1", status, { ...call(), ...desk.calls.get("t1"), ...fields });
    }
    desk.finish("Done.");
    const chunks = (await chunksOf(await send())).filter(({ type }) => type.startsWith("tool-"));
    assert.deepEqual(chunks.map(({ type, output, errorText, approved }) => [type, output ?? errorText ?? approved].filter((value) => value !== undefined)), want);
  });
}

test("two texts with a call between them are separate parts", async () => {
  const desk = new Desk();
  desk.chunk("One.");
  desk.call("t1", "done", call({ at: 4, approval: "never", result: "paid" }));
  desk.chunk("\n\n");
  desk.chunk("Two.");
  desk.end("One.\n\nTwo.", 3);
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual([chat.error, shown(chat)], [undefined, ["One.", "output-available paid", "Two."]]);
});

test("several waiting calls are all reported before the stream ends", async () => {
  const desk = new Desk();
  desk.call("t1", "awaiting", call());
  desk.hold(() => desk.call("t2", "awaiting", call({ id: "t2" })));
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual([chat.status, chat.lastMessage.parts.map(({ toolCallId }) => toolCallId)], ["ready", ["t1", "t2"]]);
});

const approvals = { skip: version < 6 && "this version has no approvals" };

test("an approval is sent to the service, and the answer continues in the same message", approvals, async () => {
  const desk = new Desk();
  desk.chunk("One.");
  desk.call("t1", "awaiting", call({ at: 4 }));
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided });
  await chat.sendMessage({ text: "hi" });
  assert.deepEqual([chat.status, shown(chat)], ["ready", ["One.", "approval-requested"]]);
  const decided = chat.addToolApprovalResponse({ id: "t1", approved: true, reason: "fine" });
  await until(() => desk.calls.get("t1").status === "approved");
  assert.deepEqual(desk.body("/decision"), { action: "approve", reason: "fine" });
  desk.call("t1", "running");
  desk.call("t1", "done", { result: "paid" });
  desk.chunk("\n\nTwo.");
  desk.end("One.\n\nTwo.", 2);
  await decided;
  await until(() => chat.status === "ready" && shown(chat).length === 3);
  assert.deepEqual([chat.error, chat.lines, shown(chat)], [undefined, ["user ui-1 hi", "assistant m2 One.Two."], ["One.", "output-available paid", "Two."]]);
});

test("with two calls, the first decision waits for the second", approvals, async () => {
  const desk = new Desk();
  desk.call("t1", "awaiting", call());
  desk.call("t2", "awaiting", call({ id: "t2" }));
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided });
  await chat.sendMessage({ text: "hi" });
  await chat.addToolApprovalResponse({ id: "t1", approved: false, reason: "too much" });
  assert.equal(desk.calls.get("t1").status, "awaiting");
  await chat.addToolApprovalResponse({ id: "t2", approved: true });
  await until(() => desk.calls.get("t2").status === "approved");
  assert.equal(desk.calls.get("t1").status, "denied");
  desk.call("t2", "failed", { error: "no money" });
  desk.finish("Sorry.");
  await until(() => chat.status === "ready");
  assert.deepEqual(shown(chat), ["output-denied too much", "output-error no money", "Sorry."]);
});

test("an earlier decision by somebody else counts", approvals, async () => {
  const desk = new Desk();
  desk.call("t1", "awaiting", call());
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided });
  await chat.sendMessage({ text: "hi" });
  desk.call("t1", "denied", { reason: "the admin says no" });
  desk.finish("Sorry.");
  await chat.addToolApprovalResponse({ id: "t1", approved: true });
  await until(() => chat.status === "ready" && shown(chat).length === 2);
  const denied = version < 7 ? "output-denied" : "output-denied the admin says no"; // before version 7, only the user's own reason is shown
  assert.deepEqual([chat.error, shown(chat)], [undefined, [denied, "Sorry."]]);
});

test("resumeStream() shows the outcome of an administrator's decision", async () => {
  const desk = new Desk();
  desk.call("t1", "awaiting", call({ approval: "admin" }));
  const chat = new Chat();
  await chat.sendMessage({ text: "hi" });
  desk.call("t1", "approved");
  desk.call("t1", "done", { result: "paid" });
  desk.finish("Done.");
  await chat.resumeStream();
  assert.deepEqual([chat.error, shown(chat)], [undefined, ["output-available paid", "Done."]]);
});

test("a call in a reloaded chat is decided as if the chat had stayed open", approvals, async () => {
  const desk = new Desk();
  desk.chunk("One.");
  desk.call("t1", "awaiting", call({ at: 4 }));
  const messages = toUIMessages({ messages: [question({ chat_id: "c1" }), reply({ content: "One.", finish_reason: undefined, stream_id: "s1", parent_id: "m1", tool_calls: [call({ at: 4 })] })] });
  const chat = new Chat({ messages, sendAutomaticallyWhen: lastIsDecided });
  assert.deepEqual(shown(chat), ["One.", "approval-requested"]);
  void chat.addToolApprovalResponse({ id: "t1", approved: true });
  await until(() => desk.calls.get("t1").status === "approved");
  desk.call("t1", "done", { result: "paid" });
  desk.chunk("\n\nTwo.");
  desk.end("One.\n\nTwo.", 2);
  await until(() => chat.status === "ready" && shown(chat).length === 3);
  assert.deepEqual([chat.error, shown(chat)], [undefined, ["One.", "output-available paid", "Two."]]);
});

test("reasoning before a decision does not come again after it", approvals, async () => {
  const desk = new Desk();
  desk.think("Let me ");
  desk.think("see.");
  desk.chunk("One.");
  desk.call("t1", "awaiting", call({ at: 4 }));
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided, options: { reasoning: true } });
  await chat.sendMessage({ text: "hi" });
  const parts = () => chat.lastMessage.parts.map(({ type, text, state }) => text ?? `${type} ${state}`);
  assert.deepEqual(parts(), ["Let me see.", "One.", "dynamic-tool approval-requested"]);
  void chat.addToolApprovalResponse({ id: "t1", approved: true });
  await until(() => desk.calls.get("t1").status === "approved");
  desk.call("t1", "done", { result: "paid" });
  desk.think("\n\nI see.");
  desk.chunk("\n\nTwo.");
  desk.end("One.\n\nTwo.", 2);
  await until(() => chat.status === "ready" && parts().length === 5);
  assert.deepEqual([chat.error, parts()], [undefined, ["Let me see.", "One.", "dynamic-tool output-available", "I see.", "Two."]]);
});

test("a call that an administrator had approved is not decided again", approvals, async () => {
  const desk = new Desk();
  desk.call("t1", "approved", call({ approval: "admin" }));
  desk.call("t2", "awaiting", call({ id: "t2" }));
  const calls = [call({ approval: "admin", status: "approved" }), call({ id: "t2" })];
  const parked = reply({ content: "", finish_reason: undefined, stream_id: "s1", parent_id: "m1", tool_calls: calls });
  const messages = toUIMessages({ messages: [question({ chat_id: "c1" }), parked] });
  const chat = new Chat({ messages, sendAutomaticallyWhen: lastIsDecided });
  void chat.addToolApprovalResponse({ id: "t2", approved: true });
  await until(() => desk.calls.get("t2").status === "approved");
  assert.deepEqual(desk.asked.filter((path) => path.includes("/decision")), ["POST /tool-calls/t2/decision"]);
  desk.call("t1", "done", { result: "paid" });
  desk.call("t2", "done", { result: "paid" });
  desk.finish("Done.");
  await until(() => chat.status === "ready");
});

test("a refused decision does not keep others from being sent", approvals, async () => {
  const refusal = () => Response.json({ error: { code: "PERMISSION_DENIED", message: "no" } }, { status: 403 });
  const desk = new Desk(({ path }) => (path.includes("t1/decision") ? refusal() : undefined));
  desk.call("t1", "awaiting", call({ approval: "admin" }));
  desk.call("t2", "awaiting", call({ id: "t2" }));
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided });
  await chat.sendMessage({ text: "hi" });
  await chat.addToolApprovalResponse({ id: "t1", approved: true });
  await chat.addToolApprovalResponse({ id: "t2", approved: true });
  await until(() => chat.status === "error");
  assert.deepEqual([chat.error.code, desk.calls.get("t2").status], ["PERMISSION_DENIED", "approved"]);
});

test("stop() while a call runs stops the answer", async () => {
  for (const detachOnAbort of [false, true]) {
    const desk = new Desk();
    desk.call("t1", "running", call({ approval: "never" }));
    const chat = new Chat({ options: { detachOnAbort } });
    const sent = chat.sendMessage({ text: "hi" });
    await until(() => chat.lastMessage?.role === "assistant" && chat.lastMessage.parts.length === 1);
    await chat.stop();
    await sent;
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(desk.asked.includes("POST /v3/chat/stream/s1/stop"), !detachOnAbort);
  }
});

test("a decision that is refused is an error", approvals, async () => {
  const desk = new Desk(({ path }) => (path.endsWith("/decision") ? Response.json({ error: { code: "PERMISSION_DENIED", message: "no" } }, { status: 403 }) : undefined));
  desk.call("t1", "awaiting", call({ approval: "admin" }));
  const chat = new Chat({ sendAutomaticallyWhen: lastIsDecided });
  await chat.sendMessage({ text: "hi" });
  await chat.addToolApprovalResponse({ id: "t1", approved: true });
  await until(() => chat.status === "error");
  assert.equal(chat.error.code, "PERMISSION_DENIED");
});

for (const [status, fields, want] of [
  ["awaiting", {}, { state: "approval-requested", approval: { id: "t1" } }],
  ["approved", { reason: "fine" }, { state: "approval-responded", approval: { id: "t1", approved: true, reason: "fine" } }],
  ["running", { approval: "never" }, { state: "input-available" }],
  ["done", { result: "paid" }, { state: "output-available", output: "paid", approval: { id: "t1", approved: true } }],
  ["done", { approval: "never" }, { state: "output-available", output: "" }],
  ["failed", { error: "no money" }, { state: "output-error", errorText: "no money", approval: { id: "t1", approved: true } }],
  ["denied", { reason: "no" }, { state: "output-denied", approval: { id: "t1", approved: false, reason: "no" } }],
]) {
  test(`toUIMessages has a call that is ${status}${fields.approval ? " without approval" : ""}`, () => {
    const made = call({ at: 1, status, ...fields });
    const [, { parts, metadata }] = toUIMessages({ messages: [question(), reply({ content: "a\n\nb", tool_calls: [made] })] });
    assert.deepEqual(parts, [
      { type: "text", text: "a" },
      { type: "dynamic-tool", toolName: "pay", toolCallId: "t1", input, providerExecuted: true, callProviderMetadata: { chatsdk: made }, ...want },
      { type: "text", text: "b" },
    ]);
    assert.ok(!("tool_calls" in metadata));
  });
}

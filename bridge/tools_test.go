//go:build js && wasm

package bridge_test

import (
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/require"
)

// desk is a service in JavaScript. Its answer has the call t1 of the page's tool look, which is approved,
// claimed and finished. The global asked keeps the requests.
const desk = `async (url, init) => {
	const path = url.replace("https://api.example.com", "");
	asked.push([init.method, path.split("?")[0], init.body && typeof init.body === "string" ? JSON.parse(init.body) : undefined]);
	const call = (status) => ({id: "t1", chat_id: "c1", message_id: "m2", name: "look", kind: "page", arguments: '{"at":"ü"}', status});
	const event = (id, name, data) => "id: " + id + "\nevent: " + name + "\ndata: " + JSON.stringify(data) + "\n\n";
	const json = (value) => new Response(JSON.stringify(value), {headers: {"content-type": "application/json"}});
	const events = [
		event(1, "start", {stream_id: "s1", chat_id: "c1", message_id: "m2"}), event(2, "tool_call", call("approved")),
		event(3, "tool_call", call("running")), event(4, "tool_call", call("done")),
		event(5, "complete", {message: {id: "m2", chat_id: "c1", content: "", finish_reason: "stop"}}), event(6, "end", {}),
	];
	if (path.startsWith("/project/")) return json({chats: [], has_more: false});
	if (path.startsWith("/tool-calls?")) return json({tool_calls: [call(globalThis.done ? "done" : "approved")]});
	if (path.endsWith("/claim")) return json({call: call("running")});
	if (path.endsWith("/result")) { globalThis.done = true; return json({call: call("done")}); }
	const last = Number(init.headers["last-event-id"] ?? 0);
	const body = new ReadableStream({start(controller) {
		controller.enqueue(new TextEncoder().encode(events.slice(last, last ? 6 : 2).join("")));
		if (last) controller.close();
		init.signal.addEventListener("abort", () => controller.error(init.signal.reason));
	}});
	return new Response(body, {headers: {"content-type": "text/event-stream"}});
}`

// openTools makes a client with the tool look. runTool is the source of the function that carries out its
// calls.
func (p page) openTools(runTool string) int {
	js.Global().Set("asked", js.Global().Get("Array").New())
	js.Global().Set("done", false)
	return p.openWith(`{"baseUrl":"https://api.example.com","projectId":"p1","accessToken":"t",
		"tools":[{"name":"look","description":"D","parameters":{"type":"object"},"approval":"never","idempotent":true,"timeout":1500}]}`,
		"{runTool: "+runTool+"}")
}

// told is the body of the first request whose path has that ending.
func told(t *testing.T, ending string) string {
	t.Helper()
	find := js.Global().Call("eval", `(ending) => JSON.stringify(asked.find(([, path]) => path.endsWith(ending))?.[2])`)
	text := find.Invoke(ending)
	require.Equal(t, js.TypeString, text.Type(), "nothing was asked of %s", ending)
	return text.String()
}

func TestThePageCarriesOutAToolCall(t *testing.T) {
	for name, test := range map[string]struct{ runTool, result string }{
		"a result":          {`async (...call) => { call.pop(); return call.join() }`, `"result":"look,t1,{\"at\":\"ü\"}"`},
		"an error":          {`async () => { throw new Error("it broke") }`, `"error":"it broke"`},
		"not a string":      {`async () => 5`, `"error":"bridge: got a value of type number, want a string"`},
		"it calls the core": {`async () => { await chatsdk.listed(); return "" }`, `"result":""`},
	} {
		t.Run(name, func(t *testing.T) {
			p := published()
			p.respond(desk)
			client := p.openTools(test.runTool)
			listed := js.FuncOf(func(js.Value, []js.Value) any {
				return js.Global().Get("Promise").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
					go func() { p.call(client, "listChats", `{}`); args[0].Invoke() }()
					return nil
				}))
			})
			p.host.Set("listed", listed)
			onEvents := js.Global().Call("eval", `(events) => globalThis.heard.push(...JSON.parse(events).map(([name, value]) => name + " " + (value?.status ?? "")))`)
			js.Global().Set("heard", js.Global().Get("Array").New())
			_, rejected := p.call(client, "sendMessageStream", `{"message":"hi"}`, js.Undefined(), onEvents)
			require.False(t, rejected)
			require.Equal(t, "start ,tool_call approved,tool_call running,tool_call done,complete ,end ", js.Global().Get("heard").Call("join").String())
			require.Contains(t, told(t, "/result"), test.result)
			require.Contains(t, told(t, "/claim"), `"definition":{"description":"D","parameters":{"type":"object"},"approval":"never","idempotent":true,"timeout":1.5}`)
		})
	}
}

// When a client is closed, its calls that the page still carries out end, and nothing is reported.
func TestClosingAClientEndsItsToolCalls(t *testing.T) {
	p := published()
	p.respond(desk)
	client := p.openTools(`(name, callId, args, signal) => new Promise((resolve) => {
		closing();
		signal.addEventListener("abort", () => { ended(); resolve("late") });
	})`)
	ended := make(chan struct{}, 1)
	js.Global().Set("ended", js.FuncOf(func(js.Value, []js.Value) any { ended <- struct{}{}; return nil }))
	js.Global().Set("closing", js.FuncOf(func(js.Value, []js.Value) any {
		js.Global().Call("queueMicrotask", js.FuncOf(func(js.Value, []js.Value) any {
			p.hear(map[string]any{"kind": "close", "client": client})
			return nil
		}))
		return nil
	}))
	_, rejected := p.call(client, "sendMessageStream", `{"message":"hi"}`, js.Undefined(), js.Global().Call("eval", `() => {}`))
	require.True(t, rejected)
	<-ended
	await(js.Global().Call("eval", `new Promise((resolve) => setTimeout(resolve))`))
	require.False(t, js.Global().Get("done").Bool())
}

func TestADecisionTakesArgumentsAsAnObjectOrText(t *testing.T) {
	p := published()
	p.respond(`async (url, init) => {
		globalThis.sent = init.body;
		return new Response('{"call":{"id":"t1","status":"approved"}}', {headers: {"content-type": "application/json"}});
	}`)
	for _, test := range []struct{ args, want string }{
		{`{"callId":"t1"}`, `{"action":"approve"}`},
		{`{"callId":"t1","arguments":{"a":[1, "ü"]},"reason":"r"}`, `{"action":"approve","arguments":"{\"a\":[1, \"ü\"]}","reason":"r"}`},
		{`{"callId":"t1","arguments":"{\"a\":1}"}`, `{"action":"approve","arguments":"{\"a\":1}"}`},
		{`{"callId":"t1","reason":""}`, `{"action":"approve"}`},
	} {
		value, rejected := p.call(p.open(t, ""), "approveToolCall", test.args)
		require.False(t, rejected)
		require.Equal(t, `{"call":{"id":"t1","status":"approved"}}`, value.String())
		require.Equal(t, test.want, js.Global().Get("sent").String())
	}
}

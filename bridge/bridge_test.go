//go:build js && wasm

package bridge_test

import (
	"os"
	"regexp"
	"strings"
	"sync"
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/bridge"
)

// page is the JavaScript side: a host like the one in js/src/core.ts, with a fetch that a test sets and
// the published functions.
type page struct{ host js.Value }

// host is the source of the host, which does with promises what core.ts does. Its arguments are functions
// that use the program's memory.
const host = `(text, came, feed, hear) => ({
	calls: {}, clients: {}, exchanges: {}, controllers: {}, last: 0,
	crash(message) { console.error(message); process.exit(1) },
	post(at, length, cause) {
		const message = JSON.parse(text(at, length));
		const call = this.calls[message.id], client = this.clients[message.client], {ask} = message;
		switch (message.kind) {
			case "done": return call.resolve(message.result === undefined ? "" : text(at, length).slice(text(at, length).indexOf('"result":') + 9, -1));
			case "failed": return call.reject(Object.assign(new Error(), message.failure.fields, {kind: message.failure.kind, cause}));
			case "token": return this.take(ask, async () => client.accessToken(), (value) => this.hear({kind: "given", ask}, value));
			case "tool":
				this.controllers[ask] = new AbortController();
				return this.take(ask, () => client.runTool(message.name, message.callId, message.args, this.controllers[ask].signal),
					(value) => this.hear({kind: "given", ask}, value));
			case "leave": return this.controllers[ask].abort();
		}
	},
	hear(message, value) { this.given = value; hear(JSON.stringify(message)) },
	value() { return this.given },
	events(id, at, length) { this.calls[id].onEvents(text(at, length)) },
	sizes(id) { return this.calls[id].images && JSON.stringify(this.calls[id].images.map(({size}) => size)) },
	request(id, call, at, length, bodyAt, bodyLength) {
		const {url, form, passes, ...init} = JSON.parse(text(at, length));
		const controller = new AbortController();
		this.exchanges[id] = {controller, onEvents: this.calls[call]?.onEvents};
		if (form) init.body = new FormData();
		for (const [name, value] of form ?? []) init.body.append(name, typeof value === "string" ? value : this.calls[call].images[value]);
		if (bodyAt) init.body = text(bodyAt, bodyLength);
		this.take(id, async () => {
			const response = this.exchanges[id].response = await this.respond(url, {...init, signal: controller.signal});
			const stream = response.ok && response.headers.get("content-type") === "text/event-stream";
			const body = stream ? undefined : new Uint8Array(await response.arrayBuffer());
			came(id, new TextEncoder().encode(JSON.stringify({...Object.fromEntries(response.headers), status: response.status, stream})));
			return body;
		}, (body) => body && came(id, body));
	},
	pump(id) {
		const exchange = this.exchanges[id];
		exchange.reader ??= exchange.response.body.getReader();
		this.take(id, async () => {
			for (let more = true; more;) {
				const {value} = await exchange.reader.read();
				more = value !== undefined && feed(id, value, exchange.onEvents);
			}
			return new Uint8Array();
		}, (nothing) => came(id, nothing));
	},
	sinceRead() { return 0 },
	abort(id) { this.exchanges[id].controller.abort() },
	finish(id) { delete this.exchanges[id] },
	textOf(value, property) { try { return typeof value[property] === "string" ? value[property] : undefined } catch {} },
	take(ask, work, done) { work().then(done, (reason) => this.hear({kind: "threw", ask}, reason)) },
})`

var published = sync.OnceValue(func() page {
	text := js.FuncOf(func(_ js.Value, args []js.Value) any { return bridge.Text(args[0].Int(), args[1].Int()) })
	came := js.FuncOf(func(_ js.Value, args []js.Value) any {
		bridge.Give(bytesOf(args[1]))
		bridge.Came(args[0].Int())
		return nil
	})
	feed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		events, over := bridge.Feed(args[0].Int(), bytesOf(args[1]))
		if events != "" {
			args[2].Invoke(events)
		}
		return !over
	})
	hear := js.FuncOf(func(_ js.Value, args []js.Value) any {
		bridge.Give([]byte(args[0].String()))
		bridge.Hear()
		return nil
	})
	made := js.Global().Call("eval", host).Invoke(text, came, feed, hear)
	js.Global().Set("chatsdk", made)
	go func() {
		if err := bridge.Publish(); err != nil {
			panic(err)
		}
	}()
	for len(bridge.Operations()) == 0 {
		await(js.Global().Get("Promise").Call("resolve"))
	}
	return page{made}
})

func bytesOf(array js.Value) []byte {
	bytes := make([]byte, array.Length())
	js.CopyBytesToGo(bytes, array)
	return bytes
}

// await waits for a promise with plain callbacks, which are easy to trust.
func await(promise js.Value) (value js.Value, rejected bool) {
	done := make(chan js.Value, 1)
	ok := js.FuncOf(func(_ js.Value, args []js.Value) any { done <- args[0]; return nil })
	fail := js.FuncOf(func(_ js.Value, args []js.Value) any { rejected = true; done <- args[0]; return nil })
	defer ok.Release()
	defer fail.Release()
	promise.Call("then", ok, fail)
	return <-done, rejected
}

// respond sets fetch to a function, given as JavaScript source.
func (p page) respond(source string) { p.host.Set("respond", js.Global().Call("eval", "("+source+")")) }

// open makes a client. token is the JavaScript source of its token function; if it is empty, the token is
// fixed.
func (p page) open(t *testing.T, token string) int {
	t.Helper()
	if token == "" {
		return p.openWith(`{"baseUrl":"https://api.example.com","projectId":"p1","maxRetries":0,"accessToken":"token-1"}`, "undefined")
	}
	return p.openWith(`{"baseUrl":"https://api.example.com","projectId":"p1","maxRetries":0,"accessToken":true}`, "{accessToken: "+token+"}")
}

// openWith makes a client with settings and, as JavaScript source, an object with its functions.
func (p page) openWith(settings, functions string) int {
	return js.Global().Call("eval", `(host, settings, functions) => {
		host.last += 1;
		host.clients[host.last] = functions;
		host.hear({kind: "open", client: host.last, settings});
		return host.last;
	}`).Invoke(p.host, settings, js.Global().Call("eval", "("+functions+")")).Int()
}

// call runs an operation; extra has images and a function for events. If it is rejected, value is an
// Error with fields.
func (p page) call(client int, name, args string, extra ...any) (value js.Value, rejected bool) {
	extra = append(extra, js.Undefined(), js.Undefined())
	made := js.Global().Call("eval", `(host, images, onEvents) => {
		host.last += 1;
		return [host.last, new Promise((resolve, reject) => { host.calls[host.last] = {images, onEvents, resolve, reject} })];
	}`).Invoke(p.host, extra[0], extra[1])
	p.hear(map[string]any{"kind": "call", "id": made.Index(0), "client": client, "operation": name, "args": args})
	return await(made.Index(1))
}

// hear passes a message to the program.
func (p page) hear(message map[string]any) { p.host.Call("hear", message) }

const jsonAnswer = `async (url, init) => new Response('{"chats":[{"chat_id":"c1","n":12345678901234567890}],"has_more":false}', {headers: {"content-type": "application/json"}})`

func TestAResponseIsReturnedAsItsText(t *testing.T) {
	p := published()
	p.respond(jsonAnswer)
	value, rejected := p.call(p.open(t, ""), "listChats", `{"limit":1}`)
	require.False(t, rejected)
	require.Equal(t, `{"chats":[{"chat_id":"c1","n":12345678901234567890}],"has_more":false}`, value.String())
}

func TestWhatFetchIsCalledWith(t *testing.T) {
	p := published()
	p.respond(`async function (url, init) {
		globalThis.seen = {url, method: init.method, headers: {...init.headers}, body: init.body};
		return new Response(null, {status: 204});
	}`)
	_, rejected := p.call(p.open(t, ""), "deleteChat", `{"chatId":"c/1"}`)
	require.True(t, rejected, "deleteChat is never answered with 204")
	seen := js.Global().Get("JSON").Call("stringify", js.Global().Get("seen")).String()
	require.JSONEq(t, `{"url":"https://api.example.com/chat/delete","method":"DELETE",
		"headers":{"accept":"application/json","authorization":"Bearer token-1","content-type":"application/json"},"body":"{\"project_id\":\"p1\",\"chat_id\":\"c/1\"}"}`, seen)
}

func TestABlobGoesIntoTheFormUnchanged(t *testing.T) {
	p := published()
	p.respond(`async (url, init) => {
		const [file, blob] = init.body.getAll("images");
		globalThis.form = [...init.body.keys(), file.name, file.type, await file.text(), blob.name, await blob.text(), init.headers["content-type"]].join("|");
		return new Response('{"message":"hello","chat_id":"c1","message_id":"m1"}', {headers: {"content-type": "application/json"}});
	}`)
	images := js.Global().Call("eval", `[new File(["png"], "ä.png", {type: "image/png"}), new Blob(["x"])]`)
	value, rejected := p.call(p.open(t, ""), "sendMessage", `{"message":"hi"}`, images)
	require.False(t, rejected)
	require.Equal(t, `{"message":{"role":"assistant","content":"hello"},"chat_id":"c1","message_id":"m1"}`, value.String())
	require.Equal(t, "message|project_id|tool_calls|skip_stream|images|images|ä.png|image/png|png|blob|x|", js.Global().Get("form").String())
}

func TestWhateverIsThrownBecomesAnError(t *testing.T) {
	p := published()
	for _, test := range []struct{ name, thrown, reason string }{
		{"an Error", `new TypeError("Failed to fetch")`, "Failed to fetch"},
		{"a text", `"no"`, "JavaScript threw something other than an Error"},
		{"undefined", `undefined`, "JavaScript threw something other than an Error"},
		{"null", `null`, "JavaScript threw something other than an Error"},
		{"a BigInt", `10n`, "JavaScript threw something other than an Error"},
		{"a Symbol", `Symbol("s")`, "JavaScript threw something other than an Error"},
		{"an object whose toString throws", `({toString() { throw new Error("twice") }})`, "JavaScript threw something other than an Error"},
		{"an object whose message is not a string", `({message: 5})`, "JavaScript threw something other than an Error"},
	} {
		for how, source := range map[string]string{"thrown": "() => { throw " + test.thrown + " }", "rejected": "() => Promise.reject(" + test.thrown + ")"} {
			t.Run(test.name+" "+how, func(t *testing.T) {
				p.respond(source)
				failure, rejected := p.call(p.open(t, ""), "listChats", `{}`)
				require.True(t, rejected)
				require.Equal(t, "api", failure.Get("kind").String())
				require.Equal(t, "NETWORK", failure.Get("code").String())
				require.Equal(t, 0, failure.Get("status").Int())
				require.Equal(t, test.reason, failure.Get("because").String())
			})
		}
	}
}

func TestTheCauseIsTheThrownValue(t *testing.T) {
	p := published()
	p.respond(`() => { throw globalThis.culprit = new Error("it was me") }`)
	failure, _ := p.call(p.open(t, ""), "listChats", `{}`)
	require.True(t, failure.Get("cause").Equal(js.Global().Get("culprit")))
}

func TestTheTokenFunction(t *testing.T) {
	p := published()
	p.respond(`async (url, init) => new Response('{"chats":[{"chat_id":' + JSON.stringify(init.headers.authorization) + '}]}', {headers: {"content-type": "application/json"}})`)
	value, rejected := p.call(p.open(t, `async () => "token-2"`), "listChats", `{}`)
	require.False(t, rejected)
	require.Contains(t, value.String(), "Bearer token-2")
	for name, source := range map[string]string{
		"throws": `() => { throw new Error("logged out") }`, "rejects": `async () => { throw new Error("logged out") }`,
		"returns undefined": `async () => undefined`, "returns a number": `async () => 5`, "returns an empty string": `async () => ""`,
	} {
		t.Run(name, func(t *testing.T) {
			failure, rejected := p.call(p.open(t, source), "listChats", `{}`)
			require.True(t, rejected)
			require.Equal(t, "AUTHENTICATION", failure.Get("code").String())
			require.Contains(t, failure.Get("message").String(), "accessToken")
		})
	}
}

// streamAnswer answers with a stream of the given pieces. end is the source that ends it.
func streamAnswer(end string, pieces ...string) string {
	var source strings.Builder
	source.WriteString(`async (url, init) => new Response(new ReadableStream({ async start(c) { const e = new TextEncoder();`)
	for _, piece := range pieces {
		source.WriteString("c.enqueue(e.encode(`" + piece + "`)); await new Promise((r) => setTimeout(r));")
	}
	return source.String() + end + `}, cancel() { globalThis.left = true } }), {headers: {"content-type": "text/event-stream"}})`
}

const (
	startEvent = "id: 1\\nevent: start\\ndata: {\"chat_id\":\"c1\"}\\n\\n"
	chunkEvent = "id: 2\\nevent: chunk\\ndata: {\"text\":\"h\\u00e9\\\\u0000\\\\n\"}\\n\\n"
	lastEvents = "id: 3\\nevent: complete\\ndata: {\"message\":{\"content\":\"x\",\"n\":1}}\\n\\nid: 4\\nevent: end\\ndata: {}\\n\\n"
)

// batches collects the arguments of onEvents.
func batches(t *testing.T) (*[]string, js.Func) {
	list := new([]string)
	function := js.FuncOf(func(_ js.Value, args []js.Value) any {
		*list = append(*list, args[0].String())
		return nil
	})
	t.Cleanup(function.Release)
	return list, function
}

func TestTheEventsOfANetworkReadComeTogether(t *testing.T) {
	p := published()
	p.respond(streamAnswer("c.close()", startEvent+chunkEvent, lastEvents))
	got, onEvents := batches(t)
	_, rejected := p.call(p.open(t, ""), "sendMessageStream", `{"message":"hi"}`, js.Undefined(), onEvents)
	require.False(t, rejected)
	require.Equal(t, []string{
		`[["start",{"chat_id":"c1"}],["chunk","hé\u0000\n"]]`,
		`[["complete",{"content":"x","n":1}],["end",null]]`,
	}, *got)
}

func TestAStreamThatBreaksIsCut(t *testing.T) {
	p := published()
	for name, end := range map[string]string{"with an error": `c.error(new Error("reset"))`, "politely": "c.close()"} {
		t.Run(name, func(t *testing.T) {
			p.respond(streamAnswer(end, startEvent, chunkEvent))
			got, onEvents := batches(t)
			failure, rejected := p.call(p.open(t, ""), "sendMessageStream", `{"message":"hi"}`, js.Undefined(), onEvents)
			require.True(t, rejected)
			require.Equal(t, "STREAM_CUT", failure.Get("code").String())
			require.Equal(t, []string{`[["start",{"chat_id":"c1"}]]`, `[["chunk","hé\u0000\n"]]`}, *got)
		})
	}
}

func TestAFailedStreamClosesItsConnection(t *testing.T) {
	p := published()
	js.Global().Set("left", false)
	p.respond(`async (url, init) => { init.signal.addEventListener("abort", () => { globalThis.left = true });
		return new Response(new ReadableStream({ start(c) { c.enqueue(new TextEncoder().encode("event: error\ndata: {\"error\":{\"code\":\"INTERNAL\",\"message\":\"m\"},\"status_code\":500}\n\n")) } }), {headers: {"content-type": "text/event-stream"}}) }`)
	_, onEvents := batches(t)
	failure, rejected := p.call(p.open(t, ""), "sendMessageStream", `{"message":"hi"}`, js.Undefined(), onEvents)
	require.True(t, rejected)
	require.Equal(t, 500, failure.Get("status").Int())
	require.True(t, js.Global().Get("left").Bool(), "the connection is still open")
}

func TestOptionsAreReadStrictly(t *testing.T) {
	p := published()
	p.respond(`() => { throw new Error("nothing is sent") }`)
	client := p.open(t, "")
	for _, test := range []struct{ name, operation, args, want string }{
		{"an unknown option", "sendMessage", `{"message":"hi","documentkeys":[]}`, "sendMessage: documentkeys is unknown; did you mean documentKeys?"},
		{"a number for a string", "sendMessage", `{"message":"hi","modelName":5}`, "sendMessage: modelName is a number, want a string"},
		{"a string for a flag", "sendMessage", `{"message":"hi","isTest":"true"}`, "sendMessage: isTest is a string, want a boolean"},
		{"a string for a list", "createChat", `{"documentKeys":"d"}`, "createChat: documentKeys is a string, want an array"},
		{"numbers in a list", "createChat", `{"documentKeys":["d",5]}`, "createChat: documentKeys must hold only strings"},
		{"a list for metadata", "createChat", `{"metadata":[]}`, "createChat: metadata is an array, want an object"},
		{"a limit of zero", "listChats", `{"limit":0}`, "listChats: limit is 0, want 1 to 100"},
		{"a limit that is not whole", "listChats", `{"limit":1.5}`, "listChats: limit is 1.5, want 1 to 100"},
		{"a huge limit", "listChats", `{"limit":1e30}`, "listChats: limit is 1e30, want 1 to 100"},
		{"no feedback", "sendFeedback", `{"messageId":"m","chatId":"c"}`, "sendFeedback: feedback is missing, want true or false"},
		{"an empty chat id", "sendMessage", `{"message":"hi","chatId":""}`, "sendMessage: chatId is empty"},
	} {
		t.Run(test.name, func(t *testing.T) {
			failure, rejected := p.call(client, test.operation, test.args)
			require.True(t, rejected)
			require.Equal(t, "argument", failure.Get("kind").String())
			require.Equal(t, test.want, failure.Get("message").String())
		})
	}
}

func TestNullIsAbsent(t *testing.T) {
	p := published()
	p.respond(jsonAnswer)
	_, rejected := p.call(p.open(t, ""), "listChats", `{"limit":null,"cursor":null}`)
	require.False(t, rejected)
}

func TestAFreedClientIsGone(t *testing.T) {
	p := published()
	client := p.open(t, "")
	p.hear(map[string]any{"kind": "free", "client": client})
	_, rejected := p.call(client, "listChats", `{}`)
	require.True(t, rejected)
}

func TestAnAbortedCallEnds(t *testing.T) {
	p := published()
	p.respond(`(url, init) => new Promise((_, reject) => init.signal.addEventListener("abort", () => reject(init.signal.reason)))`)
	go func() {
		await(js.Global().Get("Promise").Call("resolve"))
		p.hear(map[string]any{"kind": "abort", "id": p.host.Get("last")})
	}()
	failure, rejected := p.call(p.open(t, ""), "listChats", `{}`)
	require.True(t, rejected)
	require.Equal(t, "abort", failure.Get("kind").String())
}

// TestBindingsAgree compares the operations with those that js/src/bindings.ts declares, and checks
// that the host here has every function that it declares.
func TestBindingsAgree(t *testing.T) {
	source, err := os.ReadFile("../js/src/bindings.ts")
	require.NoError(t, err)
	declared := func(from, to string) string {
		_, rest, found := strings.Cut(string(source), from)
		require.True(t, found)
		names, _, _ := strings.Cut(rest, to)
		return names
	}
	members := func(body string) (names []string) {
		for _, match := range regexp.MustCompile(`(?m)^  (\w+)\(`).FindAllStringSubmatch(body, -1) {
			names = append(names, match[1])
		}
		return names
	}
	p := published()
	var operations []string
	for _, match := range regexp.MustCompile(`"(\w+)"`).FindAllStringSubmatch(declared("export type OperationName =", ";"), -1) {
		operations = append(operations, match[1])
	}
	require.ElementsMatch(t, operations, bridge.Operations())
	for _, name := range members(declared("export interface Host {", "\n}")) {
		require.Equal(t, js.TypeFunction, p.host.Get(name).Type(), name)
	}
}

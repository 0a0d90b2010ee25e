package test_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

const wasmPath = "/dist/chatsdk.wasm"

// empty is a service without chats.
func empty(w http.ResponseWriter, r *http.Request) {
	test.Reply(w, 200, "application/json", `{"chats":[],"has_more":false}`)
}

func TestNothingIsLoadedBeforeTheFirstCall(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Fake(t, empty)
		p := suite.SDKPage(t, service.Origin, path, service.Config())
		p.Do(`for (let i = 0; i < 10; i++) new ChatSDK(config)`)
		require.Zero(t, service.Count(wasmPath))
		p.Do(`await Promise.all([sdk.listChats(), new ChatSDK(config).listChats(), ChatSDK.preload(), sdk.listChats()])`)
		require.Equal(t, 1, service.Count(wasmPath), "many first calls load once")
		p.Do(`await ChatSDK.preload(); await new ChatSDK(config).listChats()`)
		require.Equal(t, 1, service.Count(wasmPath))
	})
}

func TestPreloadLoads(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	require.Nil(t, test.Eval[any](p, `return ChatSDK.preload()`))
	require.Equal(t, 1, service.Count(wasmPath))
	require.Empty(t, service.Calls())
	p.Do(`await sdk.listChats()`)
	require.Equal(t, 1, service.Count(wasmPath))
}

// serveWasm serves the module with a content type.
func serveWasm(contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if contentType != "" {
			w.Header().Set("Content-Type", contentType)
		}
		http.ServeFile(w, r, suite.File("dist/chatsdk.wasm"))
	}
}

func TestTheModuleMayBeElsewhere(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	types := []string{"application/wasm", "application/octet-stream", "application/wasm; charset=utf-8", "text/plain"}
	for i, contentType := range types {
		service.Handle("/test/elsewhere/"+string(rune('a'+i)), serveWasm(contentType))
	}
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for i := range types {
		path := "/test/elsewhere/" + string(rune('a'+i))
		p.Do(`await new ChatSDK({...config, wasmURL: $1}).listChats()`, path)
		p.Do(`await new ChatSDK({...config, wasmURL: new URL($1, location.href)}).listChats()`, path)
		p.Do(`await ChatSDK.preload({wasmURL: $1})`, path)
		require.Equal(t, 1, service.Count(path), types[i])
	}
	require.Zero(t, service.Count(wasmPath))
}

// The module is loaded from beside the script, whatever the page's address.
func TestTheModuleIsBesideTheScript(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	for _, name := range []string{"chatsdk.js", "chatsdk.mjs", "chatsdk.wasm"} {
		service.Handle("/test/lib/v1/"+name, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, suite.File("dist/"+name))
		})
	}
	for name, load := range map[string]string{
		"script": `await new Promise((resolve, reject) => document.head.append(
			Object.assign(document.createElement("script"), {src: "/test/lib/v1/chatsdk.js?x=1", onload: resolve, onerror: reject})))`,
		"module": `globalThis.ChatSDK = (await import("/test/lib/v1/chatsdk.mjs?x=1")).ChatSDK`,
	} {
		t.Run(name, func(t *testing.T) {
			before := service.Count("/test/lib/v1/chatsdk.wasm")
			p := suite.Page(t, service.URL+test.BlankPage)
			p.Do(load+`; await new ChatSDK($1).listChats()`, service.Config())
			require.Equal(t, before+1, service.Count("/test/lib/v1/chatsdk.wasm"))
			require.Zero(t, service.Count(wasmPath))
		})
	}
}

func TestModulesThatCannotBeLoaded(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	page := "<!doctype html><title>Not found</title>"
	whole, err := os.ReadFile(suite.File("dist/chatsdk.wasm"))
	require.NoError(t, err)
	for path, answer := range map[string]struct {
		status            int
		contentType, body string
	}{
		"missing": {404, "text/plain", "not found"},
		"page":    {200, "text/html", page},
		"typed":   {200, "application/wasm", page},
		"text":    {200, "application/octet-stream", "hello"},
		"nothing": {200, "application/wasm", ""},
		"empty":   {200, "application/wasm", "\x00asm\x01\x00\x00\x00"},
		"cut":     {200, "application/octet-stream", string(whole[:len(whole)/2])},
	} {
		service.Handle("/test/broken/"+path, func(w http.ResponseWriter, r *http.Request) {
			test.Reply(w, answer.status, answer.contentType, answer.body)
		})
	}
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for path, want := range map[string]string{
		"/test/broken/missing": "answered 404",
		"/test/broken/page":    "is a web page (HTML)",
		"/test/broken/typed":   "cannot be compiled",
		"/test/broken/text":    "cannot be compiled",
		"/test/broken/nothing": "cannot be compiled",
		"/test/broken/empty":   "chatsdk.wasm",
		"/test/broken/cut":     "cannot be compiled",
		"http://127.0.0.1:1/x": "could not be fetched",
	} {
		t.Run(path, func(t *testing.T) {
			p := p.For(t)
			p.Do(`globalThis.broken = new ChatSDK({...config, wasmURL: $1})`, path)
			for _, call := range []string{`broken.listChats()`, `ChatSDK.preload({wasmURL: $1})`, `broken.sendMessageStream("hi")`} {
				got := test.Eval[failure](p, `return kit.failure(`+call+`)`, path)
				requireAPIError(t, got, 0, got.Code)
				require.Contains(t, got.Message, want)
				require.Contains(t, got.Advice, "wasmURL")
			}
			streamed := test.Eval[streamed](p, `return kit.stream(broken, "hi")`)
			require.Equal(t, []string{"onError", "onMessageEnd"}, streamed.Names)
		})
	}
	require.Empty(t, service.Calls())
	expectOfCore(p, "status of 404")
}

// A load that failed may succeed at the next call.
func TestAFailedLoadIsTriedAgain(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	var ready atomic.Bool
	service.Handle("/test/later", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			test.Reply(w, 503, "text/plain", "")
			return
		}
		serveWasm("application/wasm")(w, r)
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	p.Do(`globalThis.later = new ChatSDK({...config, wasmURL: "/test/later"})`)
	got := test.Eval[[]failure](p, `return Promise.all([1, 2, 3].map(() => kit.failure(later.listChats())))`)
	require.Len(t, got, 3)
	require.Equal(t, 1, service.Count("/test/later"), "simultaneous calls fail together")
	test.Eval[failure](p, `return kit.failure(later.listChats())`)
	require.Equal(t, 2, service.Count("/test/later"))
	ready.Store(true)
	p.Do(`await later.listChats(); await later.listChats()`)
	require.Equal(t, 3, service.Count("/test/later"))
	expectOfCore(p, "status of 503")
}

// cspPage is a page with a Content-Security-Policy.
func cspPage(path, policy string) string { return path + "?csp=" + url.QueryEscape(policy) }

const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:"

// forWorkers is what a policy also needs in worker mode.
func forWorkers() string {
	if suite.Workers() {
		return "; worker-src blob:"
	}
	return ""
}

// expectOfCore expects a report of a page about a fetch of its core. The page does not report a
// worker's fetches.
func expectOfCore(p *test.Page, text string) {
	if !suite.Workers() {
		p.ExpectOfBrowser(text)
	}
}

// inPageAlone skips a test in worker mode, and says why.
func inPageAlone(t *testing.T, why string) {
	t.Helper()
	if suite.Workers() {
		t.Skip("not in worker mode: " + why)
	}
}

func TestAPageWithAContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t, test.NewModel(t).Env()...)
		p := suite.SDKPage(t, service.Origin, cspPage(path, policy+forWorkers()), service.Config(t, "ada"))
		require.Equal(t, "hello", test.Eval[streamed](p, `return kit.stream(sdk, "hello")`).Text)
		require.Equal(t, 1, test.Eval[int](p, `return (await sdk.listChats()).chats.length`))
	})
}

func TestAPolicyThatForbidsWebAssembly(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	for _, wasm := range []string{"application/wasm", "application/octet-stream"} {
		service.Handle("/test/"+wasm, serveWasm(wasm))
		forbidding := "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:"
		p := suite.SDKPage(t, service.Origin, cspPage(test.ScriptPage, forbidding+forWorkers()), service.Config())
		got := test.Eval[failure](p, `return kit.failure(new ChatSDK({...config, wasmURL: "/test/" + $1}).listChats())`, wasm)
		requireAPIError(t, got, 0, got.Code)
		require.Contains(t, got.Advice, "'wasm-unsafe-eval'")
		require.Contains(t, got.Advice, "script-src")
	}
}

func TestAPolicyThatForbidsConnections(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	forbidding := "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; img-src data:"
	p := suite.SDKPage(t, service.Origin, cspPage(test.ScriptPage, forbidding+forWorkers()), service.Config())
	got := test.Eval[failure](p, `return kit.failure(sdk.listChats())`)
	requireAPIError(t, got, 0, "NETWORK")
	require.Contains(t, got.Advice, "connect-src")
	p.ExpectOfBrowser("Content Security Policy")
}

// replacing is what old libraries and variables of a page do to the built-ins, before the script or after it.
const replacing = `
	Array.from = (list) => (list ? [].slice.call({ length: list.length || 0 }) : []);
	Object.defineProperty(Array.prototype, "toJSON", { value() { return "[" + this.join(", ") + "]"; }, configurable: true, writable: true });
	Function.prototype.bind = function () { return this; };
	globalThis.URL = "https://site.example/";
	globalThis.Promise = class { then() {} };`

func TestAPageThatReplacedBuiltIns(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	const use = `
		const got = { messages: [] };
		const sdk = new ChatSDK({ ...config, worker: $1 });
		const { chat_id: chatId } = await sdk.createChat("n", [], { metadata: { tags: ["a"] } });
		await sdk.sendMessageStream("hi", { chatId, onUploadProgress() {}, onComplete: (message) => got.messages.push(message.role) });
		for await (const chat of sdk.allChats()) if (chat.chat_id === chatId) got.listed = true;
		const { messages, metadata } = await sdk.getChatHistory(chatId);
		got.messages.push(...messages.map(({ role }) => role));
		return got.messages.join() + " " + metadata.tags[0] + " " + got.listed;`
	for _, worker := range []bool{false, true} {
		t.Run(fmt.Sprintf("before the script, worker %t", worker), func(t *testing.T) {
			t.Parallel()
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"), replacing)
			require.Equal(t, "assistant,user,assistant a true", test.Eval[string](p, use, worker))
		})
		t.Run(fmt.Sprintf("after the script, worker %t", worker), func(t *testing.T) {
			t.Parallel()
			p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config(t, "ada"))
			require.Equal(t, "assistant,user,assistant a true", test.Eval[string](p, replacing+use, worker))
		})
	}
}

// The SDK does not need a page: it also works in a worker.
func TestAWorker(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p := suite.Page(t, service.URL+test.BlankPage)
	got := test.Eval[map[string]any](p, `
		const worker = new Worker("/test/worker.js", { type: "module" });
		const answer = await new Promise((resolve, reject) => {
			worker.onmessage = ({ data }) => resolve(data);
			worker.onerror = reject;
			worker.postMessage($1);
		});
		worker.terminate();
		return answer;`, service.Config(t, "ada"))
	require.Equal(t, map[string]any{"chunks": "hello", "complete": "hello", "name": "hello"}, got)
}

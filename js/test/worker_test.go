package test_test

import (
	"net/http"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

const workerPath = "/dist/chatsdk.worker.js"

// watched is what a page did: the workers that it started and ended, what it
// compiled or started itself, and its warnings.
type watched struct {
	Workers  []string `json:"workers"`
	Ended    int      `json:"ended"`
	Wasm     int      `json:"wasm"`
	Warnings []string `json:"warnings"`
}

const watch = `
	globalThis.watched = { workers: [], ended: 0, wasm: 0, warnings: [] };
	globalThis.Worker = class extends Worker {
		constructor(address, options) { watched.workers.push(String(address)); super(address, options); }
		terminate() { watched.ended += 1; super.terminate(); }
	};
	console.warn = (...args) => watched.warnings.push(args.map(String).join(" "));
	for (const name of ["compile", "compileStreaming", "instantiate", "instantiateStreaming"]) {
		const run = WebAssembly[name];
		WebAssembly[name] = (...args) => { watched.wasm += 1; return run(...args); };
	}`

func watchedIn(p *test.Page) watched { return test.Eval[watched](p, `return watched`) }

// inWorker is the configuration of an SDK whose core runs in a worker.
func inWorker(config test.Config) test.Config {
	config["worker"] = true
	return config
}

func TestTheCoreRunsInAWorker(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	everyPage(t, func(t *testing.T, path string) {
		service := suite.Service(t, model.Env()...)
		p := suite.SDKPage(t, service.Origin, path, inWorker(service.Config(t, "ada")), watch)
		p.Do(`await ChatSDK.preload({ worker: true })`)
		require.Equal(t, "hello", test.Eval[streamed](p, `return kit.stream(sdk, "hello")`).Text)
		require.Equal(t, 1, test.Eval[int](p, `return (await new ChatSDK(config).listChats()).chats.length`))
		got := watchedIn(p)
		require.Len(t, got.Workers, 1, "SDKs share a worker")
		require.Contains(t, got.Workers[0], "blob:")
		require.Zero(t, got.Wasm, "the page itself compiles nothing")
		require.Empty(t, got.Warnings)
		require.Equal(t, 1, service.Count(wasmPath))
		require.Zero(t, service.Count(workerPath), "the script needs no address")
	})
}

func TestAModuleGoesToTheWorker(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config())
	require.Equal(t, 1, test.Eval[int](p, `
		const wasmModule = await WebAssembly.compileStreaming(fetch("/dist/chatsdk.wasm"));
		`+watch+`
		await new ChatSDK({ ...config, wasmModule, worker: true }).listChats();
		return watched.workers.length - watched.wasm;`))
	require.Equal(t, 1, service.Count(wasmPath))
}

const trustedTypes = "; require-trusted-types-for 'script'; trusted-types "

// Each policy with the option that fits it. A worker from an address has the policy
// that its own script is served with.
func TestAWorkerUnderAContentSecurityPolicy(t *testing.T) {
	t.Parallel()
	everyPage(t, func(t *testing.T, path string) {
		for _, tt := range []struct {
			name, policy string
			worker       any
		}{
			{"blob", policy + "; worker-src blob:", true},
			{"an address", "default-src 'none'; script-src 'self'; worker-src 'self'; img-src data:", workerPath},
			{"blob, with Trusted Types", policy + "; worker-src blob:" + trustedTypes + "chatsdk", true},
			{"an address, with Trusted Types", policy + trustedTypes + "chatsdk", workerPath},
		} {
			service := suite.Service(t, test.NewModel(t).Env()...)
			config := service.Config(t, "ada")
			config["worker"] = tt.worker
			p := suite.SDKPage(t, service.Origin, cspPage(path, tt.policy), config, watch)
			require.Equal(t, "hello", test.Eval[streamed](p, `return kit.stream(sdk, "hello")`).Text, tt.name)
			got := watchedIn(p)
			require.Len(t, got.Workers, 1)
			require.Zero(t, got.Wasm)
			require.Empty(t, got.Warnings)
		}
	})
}

func TestWithoutAWorkerTheCoreRunsInThePage(t *testing.T) {
	t.Parallel()
	other := suite.Fake(t, http.NotFound)
	for name, tt := range map[string]struct {
		path   string
		worker any
		script string
		// warns is in the warning, and reports in the browser's own report, if it makes one.
		warns, reports string
	}{
		"a policy without blob":       {cspPage(test.ScriptPage, policy), true, "", "allow blob: in the worker-src", "Content Security Policy"},
		"a policy without self":       {cspPage(test.ScriptPage, policy+"; worker-src blob:"), workerPath, "", "allow it in the worker-src", "Content Security Policy"},
		"no policy for Trusted Types": {cspPage(test.ModulePage, policy+trustedTypes+"'none'"), workerPath, "", "allow the policy chatsdk in the trusted-types", "Trusted"},
		"a policy that is taken": {
			cspPage(test.ModulePage, policy+trustedTypes+"chatsdk"), workerPath,
			`trustedTypes.createPolicy("chatsdk", {})`, "with 'allow-duplicates' if the page has the SDK twice", "Trusted",
		},
		"an address of no file":      {test.ModulePage, "/test/nowhere.js", "", "/test/nowhere.js (it was refused, or is not there); serve chatsdk.worker.js", ""},
		"an address of a page":       {test.ModulePage, "/test/blank.html", "", "/test/blank.html (", ""},
		"a module's address":         {test.ModulePage, "/dist/chatsdk.worker.mjs", "", "chatsdk.worker.mjs (", ""},
		"another origin":             {test.ModulePage, other.URL + workerPath, "", "from the page's origin", ""},
		"another version":            {test.ModulePage, "/test/old.js", "", "its script has another version", ""},
		"a platform without workers": {test.ModulePage, true, `delete globalThis.Worker`, "leave the option worker out", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := suite.Fake(t, empty)
			service.Handle("/test/old.js", func(w http.ResponseWriter, r *http.Request) {
				test.Reply(w, 200, "text/javascript", `postMessage({ kind: "ready", version: "0.0.1" })`)
			})
			config := service.Config()
			config["worker"] = tt.worker
			p := suite.SDKPage(t, service.Origin, tt.path, config, watch, tt.script)
			p.Do(`await Promise.all([sdk.listChats(), ChatSDK.preload({ worker: config.worker })]); await new ChatSDK(config).listChats()`)
			p.Do(`await new ChatSDK({ ...config, worker: false }).listChats()`)
			got := watchedIn(p)
			warnings := 1
			if tt.worker != true {
				warnings = 3 // an address that gives no worker is told to both clients, and to preload
			}
			require.Len(t, got.Warnings, warnings)
			require.Contains(t, got.Warnings[0], "ChatSDK: the core runs in the page, not in a worker:")
			require.Contains(t, got.Warnings[0], tt.warns)
			require.Equal(t, 1, service.Count(wasmPath), "one core")
			if tt.reports != "" {
				p.ExpectOfBrowser(tt.reports)
			}
		})
	}
}

// A page may have the SDK from another origin, which serves nothing else.
func TestAWorkerOfAnotherOriginsScript(t *testing.T) {
	t.Parallel()
	cdn := suite.Fake(t, http.NotFound)
	for _, name := range []string{"chatsdk.js", "chatsdk.mjs", "chatsdk.worker.mjs", "chatsdk.wasm"} {
		cdn.Handle("/test/cdn/"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			http.ServeFile(w, r, suite.File("dist/"+name))
		})
	}
	for name, load := range map[string]string{
		"script": `await new Promise((resolve, reject) => document.head.append(
			Object.assign(document.createElement("script"), {src: $1 + "/test/cdn/chatsdk.js", onload: resolve, onerror: reject})))`,
		"module": `globalThis.ChatSDK = (await import($1 + "/test/cdn/chatsdk.mjs")).ChatSDK`,
	} {
		t.Run(name, func(t *testing.T) {
			service := suite.Fake(t, empty)
			p := suite.Page(t, service.URL+test.BlankPage, watch)
			p.Do(load+`; await new ChatSDK($2).listChats()`, cdn.URL, inWorker(service.Config()))
			got := watchedIn(p)
			require.Len(t, got.Workers, 1)
			require.Zero(t, got.Wasm)
			require.Empty(t, got.Warnings)
		})
	}
}

func TestACrashInAWorker(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, patientService)
	p := faultyPage(t, service, watch)
	got := test.Eval[struct {
		Crashed failure `json:"crashed"`
		Same    bool    `json:"same"`
		After   string  `json:"after"`
	}](p, `
		const sdk = new ChatSDK({ ...config, worker: true });
		const begun = kit.deferred();
		const calls = [sdk.getChatHistory("slow"), sdk.sendMessageStream("hi", { onChunk: begun.resolve })];
		await begun.promise;
		calls.push(sdk.createChat("stack overflow"));
		const errors = await Promise.all(calls.map((call) => call.catch((error) => error)));
		return {
			crashed: kit.describe(errors[0]), same: errors.every(({ message }) => message === errors[0].message),
			after: (await sdk.createChat("after")).chat_id,
		};`)
	requireAPIError(t, got.Crashed, 0, "INTERNAL")
	require.Contains(t, got.Crashed.Message, "the core crashed")
	require.True(t, got.Same, "all calls get the error")
	require.Equal(t, "c1", got.After)
	seen := watchedIn(p)
	require.Len(t, seen.Workers, 2, "a new worker")
	require.Equal(t, 1, seen.Ended, "the old one has ended")
	require.Equal(t, 1, service.Count(faultyPath), "which reuses the module of the old one")
}

// The very object that the page's function throws is the cause of all calls that
// waited for it.
func TestAWorkerKeepsTheCauseOfAToken(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, inWorker(service.Config()))
	require.Equal(t, []any{true, true, "AUTHENTICATION", true}, test.Eval[[]any](p, `
		class Mine extends Error { here = () => {}; }
		const thrown = [];
		const failing = new ChatSDK({ ...config, accessToken: () => { thrown.push(new Mine("no")); throw thrown.at(-1); } });
		const error = (call) => call.catch((error) => error);
		const first = await Promise.all([error(failing.listChats()), error(failing.listAgents())]);
		const later = await error(failing.listChats());
		return [first.every(({ cause }) => cause === thrown[0]), later.cause === thrown.at(-1), later.code, later instanceof ChatSDK.APIError];`))
}

func TestACallToAWorkerIsGivenUp(t *testing.T) {
	t.Parallel()
	begun, left := make(chan struct{}, 1), make(chan struct{}, 1)
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-r.Context().Done()
		left <- struct{}{}
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, inWorker(service.Config()))
	p.Do(`globalThis.controller = new AbortController(); globalThis.call = kit.failure(sdk.listChats(undefined, undefined, { signal: controller.signal }))`)
	<-begun
	require.Equal(t, "AbortError", test.Eval[string](p, `controller.abort(); return (await call).name`))
	<-left
}

func TestAWorkerReportsTheProgressOfAnUpload(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, inWorker(service.Config(t, "ada")))
	require.Equal(t, []any{"queued", true, true}, test.Eval[[]any](p, `
		const told = [];
		const file = new File(["word ".repeat(400_000)], "long ü.txt", { type: "text/plain" });
		const { status } = await sdk.uploadDocument(file, { onProgress: (sent, total) => told.push([sent, total]) });
		const [sent, total] = told.at(-1);
		return [status, total > file.size && sent === total, told.every(([sent], i) => i === 0 || sent >= told[i - 1][0])];`))
}

// mapped counts the entries of all Maps and Sets that a realm makes after it, if
// they are made empty: one made with entries is the Go loader's, and shrinks at
// Go's collections.
const mapped = `
	{
		const all = [];
		for (const kind of ["Map", "Set"]) {
			globalThis[kind] = class extends globalThis[kind] { constructor(...args) { super(...args); if (args.length === 0) all.push(this); } };
		}
		globalThis.mapped = () => all.reduce((sum, { size }) => sum + size, 0);
	}`

// mappedPage is a page whose worker, from an address, reports what its maps hold.
func mappedPage(t *testing.T, service *test.Fake) *test.Page {
	t.Helper()
	service.Handle("/test/mapped.js", func(w http.ResponseWriter, r *http.Request) {
		test.Reply(w, 200, "text/javascript", mapped+`
			const asked = new BroadcastChannel("mapped");
			asked.onmessage = () => asked.postMessage(mapped());
			importScripts("`+workerPath+`");`)
	})
	config := service.Config()
	config["worker"] = "/test/mapped.js"
	return suite.SDKPage(t, service.Origin, test.ScriptPage, config, mapped, `
		globalThis.held = async () => {
			const channel = new BroadcastChannel("mapped");
			const inWorker = await new Promise((resolve) => {
				channel.onmessage = ({ data }) => resolve(data);
				channel.postMessage("?");
			});
			channel.close();
			return mapped() + inWorker;
		};`)
}

func TestNothingOutlivesItsCallToAWorker(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := mappedPage(t, service)
	work := func(rounds int) int {
		return test.Eval[int](p, `
			const heard = () => {};
			globalThis.tokens ??= new ChatSDK({ ...config, accessToken: async () => "token", logger: heard });
			globalThis.failing ??= new ChatSDK({ ...config, accessToken: async () => { throw new Error("no"); } });
			globalThis.lasting ??= new AbortController();
			for (let i = 0; i < $1; i++) {
				const controller = new AbortController();
				const given = tokens.listChats(undefined, undefined, { signal: controller.signal }).catch(heard);
				controller.abort();
				await Promise.all([
					given, sdk.listChats(undefined, undefined, { signal: lasting.signal }), tokens.listChats(),
					failing.listChats().catch(heard), sdk.listChats(undefined, 101).catch(heard),
					sdk.sendMessageStream("hi", { onChunk: heard, onError: heard }),
				]);
			}
			return held();`, rounds)
	}
	before := work(5)
	require.Less(t, work(100), before+20)
}

func TestAWorkerForgetsAnSDKThatNobodyHolds(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := mappedPage(t, service)
	p.Do(`await sdk.listChats()`)
	before := test.Eval[int](p, `return held()`)
	p.Do(`await Promise.all(Array.from({ length: 50 }, () => new ChatSDK(config).listChats()))`)
	// Each has an entry on both sides. The page learns of a collection some turns of the event loop later.
	after := before + 100
	for round := 0; round < 100 && after >= before+50; round++ {
		test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
		after = test.Eval[int](p, `return held()`)
	}
	require.Less(t, after, before+50)
}

func TestAnInvalidAddressOfAWorker(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	for _, call := range []string{`new ChatSDK({ ...config, worker: "http://[" })`, `ChatSDK.preload({ worker: "http://[" })`} {
		got := test.Eval[failure](p, `return kit.failure(() => `+call+`)`)
		require.Equal(t, "TypeError", got.Name)
		require.Equal(t, "ChatSDK: worker is not an address", got.Message)
	}
	require.Zero(t, service.Count(wasmPath))
}

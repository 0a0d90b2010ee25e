package test_test

import (
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// hangingOnce serves dist/ to a page with the script or the module. The first requests for one of its files are never answered.
func hangingOnce(t *testing.T, entry, file string, requests int32) (service *test.Fake, p *test.Page, asked *atomic.Int32) {
	service = suite.Fake(t, empty)
	asked = new(atomic.Int32)
	end := make(chan struct{})
	t.Cleanup(func() { close(end) })
	service.Handle("/test/lib/", func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		if name == file && asked.Add(1) <= requests {
			select {
			case <-end:
			case <-r.Context().Done():
			}
			return
		}
		http.ServeFile(w, r, suite.File("dist/"+name))
	})
	p = suite.Page(t, service.URL+test.BlankPage, watch)
	load := `globalThis.ChatSDK = (await import("/test/lib/chatsdk.mjs")).ChatSDK`
	if strings.HasSuffix(entry, ".js") {
		load = `await new Promise((resolve, reject) => document.head.append(
			Object.assign(document.createElement("script"), { src: "/test/lib/chatsdk.js", onload: resolve, onerror: reject })))`
	}
	p.Do(load+`
		globalThis.config = $1;
		globalThis.codeOf = (promise) => promise.then(() => "done", (error) => error.code ?? String(error));`, service.Config())
	return service, p, asked
}

// entries are the builds whose files have the package's names.
var entries = []string{"chatsdk.js", "chatsdk.mjs"}

// A request for the wasm that hangs costs the call its own time-out. The next call asks anew.
func TestAHungModuleIsRequestedAgain(t *testing.T) {
	t.Parallel()
	_, p, asked := hangingOnce(t, "chatsdk.mjs", "chatsdk.wasm", 1)
	p.Do(`
		const patient = new ChatSDK({ ...config, timeout: 60000 });
		const waits = patient.listChats();
		const sdk = new ChatSDK({ ...config, timeout: 500, maxRetries: 0 });
		const first = await codeOf(sdk.listChats());
		if (first !== "TIMEOUT") throw new Error(first);
		const second = await codeOf(sdk.listChats());
		if (second !== "done") throw new Error(second);
		patient.close();
		waits.catch(() => {});`)
	require.Equal(t, int32(2), asked.Load())
}

// requestedAgain runs a script in a page of each entry, where the first request for a file hangs. The script has to ask for the file twice.
func requestedAgain(t *testing.T, file, script string) {
	t.Helper()
	for _, entry := range entries {
		t.Run(entry, func(t *testing.T) {
			t.Parallel()
			_, p, asked := hangingOnce(t, entry, file, 1)
			p.Do(script)
			require.Equal(t, int32(2), asked.Load())
		})
	}
}

func TestAHungUploadScriptIsRequestedAgain(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "a worker's script holds it")
	requestedAgain(t, "chatsdk.upload.mjs", `
		const sdk = new ChatSDK({ ...config, timeout: 500, maxRetries: 0 });
		await sdk.listChats();
		const upload = () => codeOf(sdk.uploadDocument(new File(["text"], "a.txt"), { onProgress() {} }));
		const first = await upload();
		if (first !== "TIMEOUT") throw new Error(first);
		const second = await upload();
		if (!second.includes("it has no document_key")) throw new Error(second); // the service answered`)
}

func TestAHungTokenScriptIsRequestedAgain(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "the worker has no part in it")
	requestedAgain(t, "chatsdk.token.mjs", `
		const { accessToken, ...rest } = config;
		const sdk = new ChatSDK({ ...rest, apiKey: "key", apiSecret: "s".repeat(32), dangerouslyAllowBrowser: true, timeout: 500 });
		const mint = () => codeOf(sdk.createAccessToken({ userId: "ada" }));
		const first = await mint();
		if (first !== "TIMEOUT") throw new Error(first);
		const second = await mint();
		if (second !== "done") throw new Error(second);`)
}

// Advice that hangs holds up the failure no longer than the call may take, or 2 s, and is asked for again.
func TestHungAdviceIsRequestedAgain(t *testing.T) {
	t.Parallel()
	requestedAgain(t, "chatsdk.advice.mjs", `
		const waits = [];
		const { timeout } = AbortSignal;
		AbortSignal.timeout = (ms) => {
			waits.push(ms);
			return Reflect.apply(timeout, AbortSignal, [ms]);
		};
		const sdk = new ChatSDK({ ...config, wasmURL: "/nowhere.wasm", maxRetries: 0, worker: false, timeout: 700 });
		const adviceOf = () => sdk.listChats().catch((error) => error.advice);
		const first = await adviceOf();
		if (first !== "set wasmURL or wasmModule" || waits.join() !== "700") throw new Error(first + waits);
		const second = await adviceOf();
		if (!second.includes("connect-src")) throw new Error(second);`)
}

// A script of a worker that hangs is waited for once. Then calls run in the page, until it has come.
func TestAHungWorkerScriptIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"chatsdk.worker.mjs", "chatsdk.worker.js"} {
		for _, entry := range entries {
			t.Run(entry+" "+file, func(t *testing.T) {
				t.Parallel()
				_, p, asked := hangingOnce(t, entry, file, 2)
				worker := "true"
				if file == "chatsdk.worker.js" {
					worker = `"/test/lib/chatsdk.worker.js"`
				}
				p.Do(`
					globalThis.sdk = new ChatSDK({ ...config, timeout: 1000, maxRetries: 0, worker: ` + worker + ` });
					const first = await codeOf(sdk.listChats());
					if (first !== "done") throw new Error(first);`)
				require.Equal(t, int32(1), asked.Load())
				// The second request hangs too, and holds up no call.
				p.Do(`await sdk.listChats(); await sdk.listChats()`)
				for asked.Load() < 2 { // otherwise the test runs out of time
					p.Do(`await new Promise((resolve) => setTimeout(resolve, 10))`)
				}
				seen := watchedIn(p)
				for seen.Ended == len(seen.Workers) || asked.Load() < 3 { // until the third request is made and answered
					p.Do(`await sdk.listChats(); await new Promise((resolve) => setTimeout(resolve, 50))`)
					seen = watchedIn(p)
				}
				require.Len(t, seen.Warnings, 1)
				require.Contains(t, seen.Warnings[0], "the core runs in the page, not in a worker")
			})
		}
	}
}

// A wrong address of a worker is told to each client that has it, and changes nothing for others.
func TestAWrongWorkerAddressConcernsItsClientsAlone(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, empty)
	p := suite.SDKPage(t, service.Origin, test.ModulePage, service.Config(), watch)
	p.Do(`
		for (const worker of ["/nowhere.js", "/nowhere.js", true]) {
			const sdk = new ChatSDK({ ...config, worker });
			await sdk.listChats();
			await sdk.listChats();
		}`)
	seen := watchedIn(p)
	require.Len(t, seen.Warnings, 2)
	require.Equal(t, 1, len(seen.Workers)-seen.Ended, "that of the third client")
}

// A short time-out is waited for once, also while a client with a long one waits for the same script. Then calls run in the page, until
// the script has come.
func TestAHungWorkerScriptIsNotedForAll(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"chatsdk.worker.mjs", "chatsdk.worker.js"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			_, p, asked := hangingOnce(t, "chatsdk.mjs", file, 1)
			worker := "true"
			if file == "chatsdk.worker.js" {
				worker = `"/test/lib/chatsdk.worker.js"`
			}
			p.Do(`
				globalThis.patient = new ChatSDK({ ...config, timeout: 60000, maxRetries: 0, worker: ` + worker + ` });
				globalThis.waiting = codeOf(patient.listChats());
				globalThis.sdk = new ChatSDK({ ...config, timeout: 777, maxRetries: 0, worker: ` + worker + ` });
				const first = await codeOf(sdk.listChats());
				if (first !== "done") throw new Error(first);`)
			seen := watchedIn(p)
			require.Len(t, seen.Warnings, 1)
			require.Contains(t, seen.Warnings[0], "did not arrive within 777 ms")
			p.Do(`
				const second = await codeOf(sdk.listChats());
				if (second !== "done") throw new Error(second);
				if ((await Promise.race([waiting, "waits"])) !== "waits") throw new Error("the second call has waited for the script, too");`)
			if file == "chatsdk.worker.js" {
				return // browsers let a second worker of an address wait for the same request, which the SDK gives up after 10 s
			}
			p.Do(`
				// The part is asked for anew, and what comes serves the client that still waits, too.
				const other = await waiting;
				if (other !== "done") throw new Error(other);`)
			require.Equal(t, int32(2), asked.Load())
			seen = watchedIn(p)
			require.Equal(t, 1, len(seen.Workers)-seen.Ended)
			require.Len(t, seen.Warnings, 1, "the patient client has its worker")
		})
	}
}

// A worker whose wasm hangs ends when no call waits for it any more. The next call starts another, which serves all who wait.
func TestAStartInAWorkerThatHangsIsGivenUp(t *testing.T) {
	t.Parallel()
	_, p, asked := hangingOnce(t, "chatsdk.mjs", "chatsdk.wasm", 2)
	p.Do(`
		globalThis.sdk = new ChatSDK({ ...config, timeout: 700, maxRetries: 0, worker: true });
		const first = await codeOf(sdk.listChats());
		if (first !== "TIMEOUT") throw new Error(first);`)
	seen := watchedIn(p)
	require.Len(t, seen.Workers, 1)
	require.Equal(t, 1, seen.Ended, "nobody waits for it any more")
	p.Do(`
		globalThis.patient = new ChatSDK({ ...config, timeout: 60000, maxRetries: 0, worker: true });
		globalThis.waiting = codeOf(patient.listChats());
		const second = await codeOf(sdk.listChats());
		if (second !== "TIMEOUT") throw new Error(second);`)
	require.Equal(t, 1, watchedIn(p).Ended, "the patient client waits on")
	p.Do(`
		const outcomes = await Promise.all([codeOf(sdk.listChats()), waiting]);
		if (outcomes.join() !== "done,done") throw new Error(outcomes);`)
	require.Equal(t, int32(3), asked.Load())
	seen = watchedIn(p)
	require.Equal(t, 1, len(seen.Workers)-seen.Ended, "there is one core")
	require.Empty(t, seen.Warnings)
}

// A worker that comes late leaves a core behind in the page, which ends after the calls that it has.
func TestThePagesCoreEndsOnceItsWorkerHasCome(t *testing.T) {
	t.Parallel()
	service, p, _ := hangingOnce(t, "chatsdk.mjs", "chatsdk.worker.mjs", 1)
	gate := make(chan struct{})
	service.Play(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/agents") {
			<-gate
			test.Reply(w, http.StatusOK, "application/json", `{"agents":[]}`)
			return
		}
		empty(w, r)
	})
	// A core without clients lives for 5 s, which pass in 20 ms here.
	p.Do(instances + `
		globalThis.graces = 0;
		const { setTimeout: timer } = globalThis;
		globalThis.setTimeout = (run, ms, ...rest) => ms === 5000 ? timer(() => { run(); graces += 1; }, 20) : timer(run, ms, ...rest);
		globalThis.sdk = new ChatSDK({ ...config, timeout: 60000, maxRetries: 0, worker: true });
		await sdk.listChats(undefined, undefined, { timeout: 500 });
		globalThis.slow = codeOf(sdk.listAgents());`)
	for test.Eval[int](p, `return graces`) < 3 { // otherwise the test runs out of time
		p.Do(`await sdk.listChats(); await new Promise((resolve) => setTimeout(resolve, 50))`)
	}
	seen := watchedIn(p)
	require.Equal(t, 1, len(seen.Workers)-seen.Ended)
	close(gate)
	require.Equal(t, "done", test.Eval[string](p, `return slow`), "the core has waited for its call")
	for test.Eval[counted](p, `return instances`).Collected == 0 {
		p.Do(`await new Promise((resolve) => setTimeout(resolve, 100))`)
		test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	}
}

package test_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// The module that fails on request, see bridge/panictest.go: its file, which make builds, and its
// address.
const (
	faultyFile = ".build/panictest.wasm"
	faultyPath = "/test/faulty.wasm"
)

// faultyPage is a page whose SDK uses the module that fails on request. Its timers are counted.
func faultyPage(t *testing.T, service *test.Fake, scripts ...string) *test.Page {
	t.Helper()
	service.Handle(faultyPath, func(w http.ResponseWriter, r *http.Request) { http.ServeFile(w, r, suite.File(faultyFile)) })
	config := service.Config()
	config["wasmURL"] = faultyPath
	return suite.SDKPage(t, service.Origin, test.ScriptPage, config, append(scripts, countTimers)...)
}

// countTimers counts the pending timers of the page, so that a test need not wait for them.
const countTimers = `
	globalThis.timers = new Set();
	const { setTimeout: set, clearTimeout: clear } = globalThis;
	globalThis.setTimeout = (run, ...rest) => {
		const id = set((...args) => { timers.delete(id); run(...args); }, ...rest);
		timers.add(id);
		return id;
	};
	globalThis.clearTimeout = (id) => { timers.delete(id); clear(id); };`

// patientService answers calls at once. Streams and histories wait until the page leaves.
func patientService(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/v3/chat/message":
		test.NewStream(w).Chunk("part")
		<-r.Context().Done()
	case "/project/demo/chat/slow/all":
		<-r.Context().Done()
	case "/chat/create":
		test.Reply(w, 200, "application/json", `{"chat_id":"c1","name":"n","created_at":1}`)
	default:
		empty(w, r)
	}
}

// Whatever ends the Go program, every waiting call is rejected, and the next call starts the
// program again.
func TestTheCoreCrashes(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, patientService)
	p := faultyPage(t, service)
	for _, fault := range []string{
		"panic in the operation", "panic in a goroutine", "panic in a callback", "panic that nobody recovers",
		"exit", "stack overflow", "out of memory",
	} {
		t.Run(fault, func(t *testing.T) {
			p := p.For(t)
			got := test.Eval[struct {
				Crashed  failure   `json:"crashed"`
				Calls    []failure `json:"calls"`
				Streamed streamed  `json:"streamed"`
				Silent   failure   `json:"silent"`
				Waiting  int       `json:"waiting"`
				Left     int       `json:"left"`
				After    string    `json:"after"`
			}](p, `
				const begun = [kit.deferred(), kit.deferred()];
				const other = new ChatSDK(config);
				const streamed = kit.stream(sdk, "hi", { onChunk: begun[0].resolve });
				const silent = kit.failure(other.sendMessageStream("hi", { onChunk: begun[1].resolve }));
				const calls = [kit.failure(sdk.getChatHistory("slow")), kit.failure(other.getChatHistory("slow"))];
				await Promise.all(begun.map(({ promise }) => promise));
				await sdk.createChat("timer");
				const waiting = timers.size;

				const crashed = await kit.failure(sdk.createChat($1));
				const left = timers.size;
				const outcome = { crashed, calls: await Promise.all(calls), streamed: await streamed, silent: await silent, waiting, left };
				// One turn of the event loop, for late calls of the dead program.
				await new Promise((resolve) => { const { port1, port2 } = new MessageChannel(); port1.onmessage = resolve; port2.postMessage(0); });
				await other.listChats();
				return { ...outcome, after: (await sdk.createChat("after")).chat_id };`, fault)
			for _, f := range append(got.Calls, got.Crashed, got.Silent, got.Streamed.failed(t)) {
				requireAPIError(t, f, 0, "INTERNAL")
				require.Contains(t, f.Message, "the core crashed")
			}
			require.Equal(t, []string{"onChunk", "onError", "onMessageEnd"}, got.Streamed.Names)
			require.Equal(t, "resolved", got.Streamed.Outcome)
			if !suite.Workers() { // its timers are not the page's
				require.Positive(t, got.Waiting)
			}
			require.Zero(t, got.Left, "no timer of the dead program is left")
			require.Equal(t, "c1", got.After)
			require.Empty(t, p.Errors())
		})
	}
	require.Equal(t, 1, service.Count(faultyPath), "the module is compiled once, and started again")
}

// The requests of a crashed program are aborted.
func TestACrashEndsItsRequests(t *testing.T) {
	t.Parallel()
	left := make(chan struct{}, 1)
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v3/chat/message" {
			empty(w, r)
			return
		}
		test.NewStream(w).Chunk("part")
		<-r.Context().Done()
		left <- struct{}{}
	})
	p := faultyPage(t, service)
	p.Do(`
		const begun = kit.deferred();
		const stream = kit.stream(sdk, "hi", { onChunk: begun.resolve });
		await begun.promise;
		await kit.failure(sdk.createChat("panic in the operation"));
		await stream;`)
	<-left
}

// A call may be made in the callback that reports the crash.
func TestACallAfterACrashStartsTheProgramAgain(t *testing.T) {
	t.Parallel()
	service := suite.Fake(t, patientService)
	p := faultyPage(t, service)
	require.Equal(t, "c1", test.Eval[string](p, `
		const begun = kit.deferred();
		const next = kit.deferred();
		sdk.sendMessageStream("hi", {
			onChunk: begun.resolve,
			onError: () => next.resolve(sdk.createChat("after")),
		});
		await begun.promise;
		await kit.failure(sdk.createChat("panic in the operation"));
		return (await next.promise).chat_id;`))
	for range 3 {
		p.Do(`await kit.failure(sdk.createChat("exit")); await sdk.listChats()`)
	}
}

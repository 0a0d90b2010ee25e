package bundlers_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// chunk is a part of the package in a bundle, where it has another name. The mark stands in no smaller file.
type chunk struct {
	part, mark string
	// script fails unless each call costs its own time-out, or does without the part.
	script string
	// later is run once the request has been answered. The next call then has the part.
	later string
}

const twice = `
	for (const nth of ["first", "second"]) {
		const code = await codeOf(call());
		if (code !== "TIMEOUT") throw new Error(nth + ": " + code);
	}`

var chunks = []chunk{
	{"token", "HMAC", `
		const { accessToken, ...rest } = config;
		const sdk = new ChatSDK({ ...rest, apiKey: "key", apiSecret: "s".repeat(32), dangerouslyAllowBrowser: true, timeout: 500 });
		globalThis.call = () => sdk.createAccessToken({ userId: "ada" });` + twice, `
		const { access_token } = await call();
		if (!access_token) throw new Error("no token");`},
	{"upload", "XMLHttpRequest", `
		const sdk = new ChatSDK({ ...config, timeout: 500, maxRetries: 0 });
		await sdk.listChats();
		globalThis.call = () => sdk.uploadDocument(new File(["text"], "a.txt"), { onProgress() {} });` + twice, `
		const code = await codeOf(call());
		if (!code.includes("it has no document_key")) throw new Error(code); // the service answered`},
	{"worker", "no worker could", `
		globalThis.sdk = new ChatSDK({ ...config, timeout: 700, maxRetries: 0, worker: true });
		await sdk.listChats();
		await sdk.listChats();
		if (!/page, not in a worker.*did not arrive within 700 ms/.test(counted.warnings.join())) throw new Error(counted.warnings);
		if (counted.workers + counted.warnings.length !== 1) throw new Error(JSON.stringify(counted));`, `
		while (counted.workers === 0) { // otherwise the test runs out of time
			await sdk.listChats();
			await new Promise((resolve) => setTimeout(resolve, 10));
		}`},
	{"advice", "connect-src", `
		const sdk = new ChatSDK({ ...config, wasmURL: "/nowhere.wasm", maxRetries: 0 });
		globalThis.call = () => sdk.listChats().catch((error) => error.advice);
		for (const nth of ["first", "second"]) {
			const advice = await call();
			if (advice !== "set wasmURL or wasmModule") throw new Error(nth + ": " + advice);
		}`, `
		const advice = await call();
		if (!advice.includes("connect-src")) throw new Error(advice);`},
}

// A bundler has named the chunks, so one whose request hangs cannot be asked for again. Each call costs its own time-out, the client
// stays alive, and has the part once the request is answered. The wasm is asked for again.
func TestAHungChunkCostsEachCallItsOwnTimeout(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"08-webpack", "10-rollup"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := install(t, name, "")
			e.write(t, "main.js", `import { ChatSDK } from "chatsdk"; globalThis.ChatSDK = ChatSDK;`)
			e.run(t, "npm", "run", "build")
			for _, c := range chunks {
				t.Run(c.part, func(t *testing.T) {
					t.Parallel()
					p, hung := e.hanging(t, c.mark)
					p.Do(c.script)
					require.Equal(t, int32(1), hung.asked.Load(), "the second call waits for the first request")
					close(hung.gate)
					p.Do(c.later)
				})
			}
			t.Run("wasm", func(t *testing.T) {
				t.Parallel()
				p, hung := e.hanging(t, "\x00asm")
				p.Do(`
					const sdk = new ChatSDK({ ...config, timeout: 500, maxRetries: 0 });
					const first = await codeOf(sdk.listChats());
					if (first !== "TIMEOUT") throw new Error(first);
					await new ChatSDK({ ...config, maxRetries: 0 }).listChats();`)
				require.Equal(t, int32(2), hung.asked.Load())
			})
		})
	}
}

// hung is a file whose first request waits for the gate.
type hung struct {
	asked atomic.Int32
	gate  chan struct{}
}

// hanging opens a page with the bundle, beside a service that has nothing. The file with the mark hangs.
func (e example) hanging(t *testing.T, mark string) (*test.Page, *hung) {
	t.Helper()
	service := suite.Fake(t, func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, http.StatusOK, "application/json", `{"chats":[]}`)
	})
	h := &hung{gate: make(chan struct{})}
	hangs := e.built(t, mark)
	service.Handle("/app/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/app/")
		if name == hangs && h.asked.Add(1) == 1 {
			select {
			case <-h.gate:
			case <-r.Context().Done():
				return
			}
		}
		http.ServeFile(w, r, filepath.Join(e.folder, "dist", name))
	})
	service.Handle("/page", func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, http.StatusOK, "text/html", `<!doctype html><html lang="en"><meta charset="utf-8"><title>bundle</title>
			<link rel="icon" href="data:,"><script type="module" src="/app/main.js"></script>`)
	})
	p := suite.Page(t, service.URL+"/page", counting)
	p.Until(`globalThis.ChatSDK`)
	p.Do(`
		globalThis.config = $1;
		globalThis.codeOf = (promise) => promise.then(() => "done", (error) => error.code ?? String(error));`, service.Config())
	return p, h
}

// built is the name of the smallest file of the bundle that has the mark.
func (e example) built(t *testing.T, mark string) (name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(e.folder, "dist/*"))
	require.NoError(t, err)
	smallest := 1 << 30
	for _, file := range files {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		if filepath.Ext(file) != ".map" && len(content) < smallest && bytes.Contains(content, []byte(mark)) {
			smallest, name = len(content), filepath.Base(file)
		}
	}
	require.NotEmpty(t, name)
	return name
}

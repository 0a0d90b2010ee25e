package bench_test

import (
	"fmt"
	"net/http"
	"os"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// program is a Go program in a page.
type program struct {
	name string
	// files under /ready/, by name, and the script that runs it.
	files  map[string]string
	script string
}

// startFloor starts the empty program with the toolchain's loader as it is.
const startFloor = `
	globalThis.chatsdk = { publish };
	const go = new Go();
	WebAssembly.instantiate(module, go.importObject).then((instance) => go.run(instance));`

var programs = []program{
	{"chatsdk", map[string]string{
		"chatsdk.mjs": "dist/chatsdk.mjs", "chatsdk.wasm": "dist/chatsdk.wasm",
	}, `
		const { ChatSDK } = await import("./chatsdk.mjs");
		await ChatSDK.preload();`},
	{"floor", map[string]string{"wasm_exec.js": ".build/wasm_exec.js", "floor.wasm": ".build/floor.wasm"}, `
		await import("./wasm_exec.js");
		const module = await WebAssembly.compileStreaming(fetch("./floor.wasm"));
		await new Promise((publish) => {` + startFloor + `});`},
}

// serveReady serves the files again under the number of each run, to be cached for
// a year, as files with a hash in their name are.
func (b *bench) serveReady() {
	for _, p := range programs {
		for name, path := range p.files {
			b.server.Handle("GET /ready/{run}/"+name, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Cache-Control", "max-age=31536000, immutable")
				w.Header().Set("ETag", `"1"`)
				http.ServeFile(w, r, suite.File(path))
			})
		}
		b.server.Handle("GET /ready/{run}/"+p.name+".html", func(w http.ResponseWriter, _ *http.Request) {
			test.Reply(w, http.StatusOK, "text/html", `<!doctype html><html lang="en"><meta charset="utf-8"><title>ready</title><link rel="icon" href="data:,">
				<script type="module">globalThis.start = async () => { const began = performance.now(); `+p.script+` return performance.now() - began; };</script>`)
		})
	}
}

// warm makes the page use the core, since browsers cache the code of functions
// that are used a lot, and do so some time later.
const warm = `
	if (!location.pathname.endsWith("/chatsdk.html")) return;
	const { ChatSDK } = await import("./chatsdk.mjs");
	const sdk = new ChatSDK({ baseUrl: $1, projectId: "demo", accessToken: "token" });
	await sdk.sendMessageStream("hi", { onChunk() {} });
	await new Promise((after) => setTimeout(after, $2));`

func (b *bench) ready() {
	b.serveReady()
	answer := b.server.prepare("chatsdk", b.burst, 0)
	wait := 0
	if *full {
		wait = 3000 // V8 writes its cache 2 s after the last function was optimised
	}
	var cold, again [2]sample
	for run := range b.runs + 1 {
		for i, p := range programs {
			address := fmt.Sprintf("%s/ready/%d/%s.html", b.server.URL, run, p.name)
			page := suite.ProfilePage(b.t, address)
			first := test.Eval[float64](page, `return start()`)
			page.Do(warm, answer, wait)
			page.Open(address)
			second := test.Eval[float64](page, `return start()`)
			if run > 0 {
				cold[i], again[i] = append(cold[i], first), append(again[i], second)
			}
		}
	}
	size := func(name string) string {
		about, err := os.Stat(suite.File(name))
		require.NoError(b.t, err)
		return megabytes(int(about.Size()))
	}
	b.table("Time to ready", []string{"", "ChatSDK, ms", "empty Go program with safejs, ms", "ratio"}, [][]string{
		{"first visit", cold[0].String(), cold[1].String(), ratio(cold[0], cold[1])},
		{"next visit, with the browser's caches", again[0].String(), again[1].String(), ratio(again[0], again[1])},
		{"uncompressed WebAssembly, MB", size("dist/chatsdk.wasm"), size(".build/floor.wasm"), ""},
	})
	b.readyParts()
}

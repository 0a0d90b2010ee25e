package bench_test

import (
	"fmt"
	"net/http"
	"os/exec"

	"github.com/chromedp/cdproto/network"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// parted begins a script that measures the parts of a start. A browser compiles no module
// twice, so it adds a section that no other module has: 10 bytes after its kind and length.
const parted = `
	const times = {};
	const timed = async (name, work) => {
		const began = performance.now();
		const result = await work();
		times[name] = performance.now() - began;
		return result;
	};
	const file = await timed("download", async () => new Uint8Array(await (await fetch($1)).arrayBuffer()));
	const own = new Uint8Array(file.length + 12);
	own.set(file);
	own.set([0, 10, 8, ...crypto.getRandomValues(new Uint8Array(8)).map((byte) => 97 + byte % 26)], file.length);
	const module = await timed("compile", () => WebAssembly.compile(own));`

// partsOf are the scripts that start a compiled module.
var partsOf = [2]string{parted + `
	const { ChatSDK } = await import("/dist/chatsdk.mjs");
	await timed("start", () => ChatSDK.preload({ wasmModule: module }));
	const sdk = new ChatSDK({ baseUrl: $2, projectId: "demo", accessToken: "token", wasmModule: module });
	await timed("first", () => sdk.listChats());
	await timed("next", () => sdk.listChats());
	return times;`,
	parted + `
	await import("/ready/0/wasm_exec.js");
	await timed("start", () => new Promise((publish) => {` + startFloor + `}));
	return times;`,
}

// megabits are the networks that a download is measured on.
var megabits = []float64{10, 1.6}

// readyParts measures how much of the time to ready is download, compiling, and the
// first calls, one after the other. A page compiles the file while it arrives.
func (b *bench) readyParts() {
	files := [2]string{"dist/chatsdk.wasm", ".build/floor.wasm"}
	for i, file := range files {
		packed := brotli(b, file)
		b.server.Handle(fmt.Sprintf("GET /parts/{run}/%d.wasm", i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "br")
			w.Header().Set("Content-Type", "application/wasm")
			w.Header().Set("Content-Length", fmt.Sprint(len(packed)))
			_, _ = w.Write(packed)
		})
	}
	took := map[string]*[2]sample{}
	for run := range b.runs {
		for i, script := range partsOf {
			for _, speed := range megabits {
				page := b.page()
				slow(page, speed)
				times := test.Eval[map[string]float64](page, script, fmt.Sprintf("%s/parts/%d-%g/%d.wasm", b.server.URL, run, speed, i), b.server.URL+"/calls")
				times[fmt.Sprint("download ", speed)] = times["download"]
				times["first call"] = times["first"] - times["next"]
				for name, ms := range times {
					if took[name] == nil {
						took[name] = &[2]sample{}
					}
					took[name][i] = append(took[name][i], ms)
				}
			}
		}
	}
	row := func(title, name string) []string {
		s := took[name]
		return []string{title, s[0].String(), s[1].String(), ratio(s[0], s[1])}
	}
	b.table("How long the parts of a first visit take", []string{"", "ChatSDK, ms", "empty Go program with safejs, ms", "ratio"}, [][]string{
		row("download after brotli, at 10 Mbit/s", "download 10"),
		row("download after brotli, at 1.6 Mbit/s", "download 1.6"),
		row("compiling", "compile"),
		row("starting", "start"),
		{"the first call, beyond what the next one takes", took["first call"][0].String(), "–", "–"},
	})
}

// slow limits a page's downloads to this many megabits a second, as DevTools do.
func slow(page *test.Page, megabits float64) {
	test.Call(page, network.Enable, network.EnableParams{})
	test.Call(page, network.EmulateNetworkConditionsByRule, network.EmulateNetworkConditionsByRuleParams{
		MatchedNetworkConditions: []*network.Conditions{{DownloadThroughput: megabits * 1e6 / 8, UploadThroughput: -1}},
	})
}

func brotli(b *bench, name string) []byte {
	const script = `process.stdout.write(require("node:zlib").brotliCompressSync(require("node:fs").readFileSync(process.argv[1])))`
	packed, err := exec.Command("node", "--eval", script, suite.File(name)).Output()
	require.NoError(b.t, err)
	return packed
}

package bench_test

import (
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/cdproto/performance"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// client reads answers in page.js.
type client struct {
	name, title, protocol string
	// slow says that a burst takes it so long that it gets fewer runs.
	slow bool
	// merges says that it may return several chunks as one.
	merges bool
}

var clients = []client{
	{name: "chatsdk", title: "ChatSDK", protocol: "chatsdk"},
	{name: "chatsdk stream", title: "ChatSDK, `for await`", protocol: "chatsdk"},
	{name: "chatsdk worker", title: "ChatSDK, `worker: true`", protocol: "chatsdk"},
	{name: "parser", title: "eventsource-parser, `JSON.parse`", protocol: "chatsdk"},
	{name: "openai", title: "openai", protocol: "openai"},
	{name: "anthropic", title: "@anthropic-ai/sdk", protocol: "anthropic"},
	{name: "ai", title: "AI SDK, Chat", protocol: "ai", slow: true, merges: true},
}

// parser is the client that the others are compared with.
func parser() int {
	return slices.IndexFunc(clients, func(c client) bool { return c.name == "parser" })
}

// reading is what a client took for an answer.
type reading struct {
	MS      float64 `json:"ms"`
	Longest float64 `json:"longest"`
	Pieces  int     `json:"pieces"`
	busy    float64 // ms
}

// read makes a client read an answer, and checks that it got all of it.
func (b *bench) read(p *test.Page, c client, chunks, rate int) reading {
	b.t.Helper()
	address := b.server.prepare(c.protocol, chunks, rate)
	test.Call(p, heapprofiler.CollectGarbage, cdp.Empty{})
	before := busy(p)
	r := test.Eval[reading](p, `return bench.read($1, $2)`, c.name, address)
	r.busy = busy(p) - before
	if !c.merges {
		require.Equal(b.t, chunks, r.Pieces, c.title)
	}
	require.Equal(b.t, b.server.answers[fmt.Sprintf("%s/%d", c.protocol, chunks)].crc32, test.Eval[uint32](p, `return bench.crc32()`), c.title)
	return r
}

// busy is how long the page's main thread has worked, in ms of its own time.
func busy(p *test.Page) float64 {
	for _, metric := range test.Call(p, performance.GetMetrics, cdp.Empty{}).Metrics {
		if metric.Name == "TaskDuration" {
			return metric.Value * 1000
		}
	}
	return 0
}

// samples are the readings of a client.
type samples struct{ ms, busy, longest, pieces sample }

func (s *samples) add(r reading) {
	s.ms = append(s.ms, r.MS)
	s.busy = append(s.busy, r.busy)
	s.longest = append(s.longest, r.Longest)
	s.pieces = append(s.pieces, float64(r.Pieces))
}

// measured opens a page that counts its work.
func (b *bench) measured() *test.Page {
	p := b.page()
	test.Call(p, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	return p
}

// alternate makes the clients read in turn, each in its own page. The warmup of each
// does not count.
func (b *bench) alternate(chunks, rate, warmup int) []samples {
	all := make([]samples, len(clients))
	pages := make([]*test.Page, len(clients))
	for i, c := range clients {
		pages[i] = b.measured()
		b.read(pages[i], c, warmup, 0)
	}
	for run := range b.runs {
		for i, c := range clients {
			if !c.slow || rate > 0 || run < b.slowRuns {
				all[i].add(b.read(pages[i], c, chunks, rate))
			}
		}
	}
	return all
}

func (b *bench) burstOfChunks() {
	const warmup = 10
	b.streams(fmt.Sprintf("%d chunks in one burst", b.burst), b.alternate(b.burst, 0, b.burst/warmup))
}

func (b *bench) pacedChunks() {
	b.streams(fmt.Sprintf("%d chunks a second for %d s", b.rate, b.paced/b.rate), b.alternate(b.paced, b.rate, b.paced))
}

// streams adds the table of what clients took, with ratios to the parser.
func (b *bench) streams(title string, all []samples) {
	barest := all[parser()]
	var rows [][]string
	for i, c := range clients {
		s := all[i]
		rows = append(rows, []string{c.title, s.ms.String(), ratio(s.ms, barest.ms), s.busy.String(), ratio(s.busy, barest.busy), s.longest.task()})
	}
	b.table(title, []string{"client", "total, ms", "ratio", "main thread busy, ms", "ratio", "longest task, ms"}, rows)
}

// growing measures what answers of different lengths cost, each in a new page.
func (b *bench) growing() {
	pair := []client{clients[0], clients[parser()]}
	var rows [][]string
	for _, chunks := range b.growth {
		var took [2]samples
		pages := [2]*test.Page{b.measured(), b.measured()}
		for i, c := range pair {
			b.read(pages[i], c, b.burst/10, 0)
		}
		for range b.runs {
			for i, c := range pair {
				took[i].add(b.read(pages[i], c, chunks, 0))
			}
		}
		each := func(s sample) sample {
			var micro sample
			for _, ms := range s {
				micro = append(micro, ms*1000/float64(chunks))
			}
			return micro
		}
		wasm := wasmMemory(pages[0])
		rows = append(rows, []string{
			fmt.Sprint(chunks), each(took[0].ms).String(), each(took[1].ms).String(), ratio(took[0].ms, took[1].ms), megabytes(wasm),
			megabytes(len(b.server.answers[fmt.Sprintf("chatsdk/%d", chunks)].body)),
		})
	}
	b.table("As answers grow", []string{"chunks", "ChatSDK, µs a chunk", "eventsource-parser, `JSON.parse`, µs a chunk", "ratio", "WebAssembly memory afterwards, MB", "received, MB"}, rows)
}

func megabytes(bytes int) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }

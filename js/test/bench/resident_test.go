package bench_test

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// longReaders read a long answer and keep nothing of it, each in a process of its own that has read a short answer before.
var longReaders = []struct{ client, title string }{
	{"chatsdk", "ChatSDK"}, {"parser", "eventsource-parser, `JSON.parse`"}, {"fetch", "`fetch`, bytes only"},
}

// resident is how much memory of the machine a process has, in bytes.
func (b *bench) resident(process int64) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", process))
	require.NoError(b.t, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	var kilobytes float64
	_, err = fmt.Sscanf(rest, "%f kB", &kilobytes)
	require.NoError(b.t, err)
	return kilobytes * 1024
}

// pageProcess opens a page, and finds the process that runs it.
func (b *bench) pageProcess() (*test.Page, int64) {
	before := suite.Renderers(b.t)
	p := b.page()
	added := slices.DeleteFunc(suite.Renderers(b.t), func(id int64) bool { return slices.Contains(before, id) })
	require.Len(b.t, added, 1, "a page of its own profile has a process of its own")
	return p, added[0]
}

// residentBesideFetch measures how many resident bytes an answer adds to a page that has read another one before.
func (b *bench) residentBesideFetch() {
	if runtime.GOOS != "linux" {
		return // others do not have /proc
	}
	short, long := b.server.prepareLong(b.longChunks/100+1), b.server.prepareLong(b.longChunks)
	var after, collected, wasm [3]sample
	for range b.runs {
		for i, reader := range longReaders {
			p, process := b.pageProcess()
			p.Do(`await bench.drain($1, $2)`, reader.client, short)
			heap(p)
			before := b.resident(process)
			p.Do(`await bench.drain($1, $2)`, reader.client, long)
			after[i] = append(after[i], (b.resident(process)-before)/1e6)
			heap(p)
			collected[i] = append(collected[i], (b.resident(process)-before)/1e6)
			wasm[i] = append(wasm[i], float64(wasmMemory(p))/1e6)
		}
	}
	var rows [][]string
	for i, reader := range longReaders {
		more := func(s [3]sample) string { return number(s[i].median() - s[2].median()) }
		rows = append(rows, []string{reader.title, after[i].String(), more(after), collected[i].String(), more(collected), wasm[i].String()})
	}
	b.table(fmt.Sprintf("Resident memory that an answer of %s MB adds to a page", megabytes(b.longChunks*len(longChunk))), []string{
		"", "at its end, MB", "more than `fetch`", "after a collection, MB", "more than `fetch`", "WebAssembly memory, MB",
	}, rows)
}

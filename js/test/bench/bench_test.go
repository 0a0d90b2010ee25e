package bench_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// sizes are how much is measured.
type sizes struct {
	// runs is how many count; one more comes first.
	runs int
	// burst is in chunks; slowRuns are the runs of clients that are slow at it.
	burst, slowRuns int
	// rate is in chunks a second, for paced chunks.
	rate, paced int
	// growth are lengths of answers, in chunks.
	growth []int
	// calls are the calls of a run; manyCalls come before the memory is looked at.
	calls, manyCalls int
	// manyChunks come before the memory is looked at.
	manyChunks int
	// longChunks are the chunks of an answer that is measured by its bytes.
	longChunks int
}

var (
	small = sizes{runs: 1, burst: 100, slowRuns: 1, rate: 1000, paced: 20, growth: []int{10, 100}, calls: 2, manyCalls: 10, manyChunks: 100, longChunks: 100}
	whole = sizes{
		runs: 5, burst: 50_000, slowRuns: 2, rate: 200, paced: 2000, growth: []int{1000, 10_000, 100_000, 1_000_000},
		calls: 200, manyCalls: 10_000, manyChunks: 1_000_000, longChunks: 330_000,
	}
)

// bench is what all sections share.
type bench struct {
	sizes
	t      *testing.T
	server *server
	report strings.Builder
}

var sections = []struct {
	name string
	run  func(b *bench)
}{
	{"download", (*bench).download},
	{"ready", (*bench).ready},
	{"burst", (*bench).burstOfChunks},
	{"paced", (*bench).pacedChunks},
	{"growth", (*bench).growing},
	{"calls", (*bench).callsBesideFetch},
	{"memory", (*bench).memory},
	{"resident", (*bench).residentBesideFetch},
}

func sectionNames() string {
	var names []string
	for _, s := range sections {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}

func TestBench(t *testing.T) {
	b := &bench{t: t, sizes: small, server: startServer(t)}
	if *full {
		b.sizes = whole
	}
	for _, s := range sections {
		if *only == "" || slices.Contains(strings.Split(*only, ","), s.name) {
			s.run(b)
		}
	}
	text := b.conditions() + b.report.String()
	t.Log("\n" + text)
	if *write != "" {
		require.NoError(t, insert(suite.File(*write), text))
	}
}

// page opens the page of the benchmarks in its own tab. The slowest client takes
// about 15 s for a burst if nothing else runs.
func (b *bench) page() *test.Page {
	return suite.Page(b.t, b.server.URL+"/bench/page.html").Patient(5 * time.Minute)
}

// The tables are between these lines.
const begin, end = "<!-- make bench writes from here -->\n", "<!-- to here -->\n"

// insert puts text between the markers of a file.
func insert(path, text string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, _ := strings.Cut(string(old), begin)
	_, after, found := strings.Cut(rest, end)
	if !found {
		return fmt.Errorf("%s has no line %q with %q below it: put both where the tables go", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+"\n"+end+after), 0o644)
}

package bench_test

import (
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// listing is what a run of calls took.
type listing struct {
	MS    float64 `json:"ms"`
	Items int     `json:"items"`
	busy  float64
}

func (b *bench) list(p *test.Page, client, list string, items, times int) listing {
	b.t.Helper()
	before := busy(p)
	l := test.Eval[listing](p, `return bench.list($1, $2, $3, $4)`, client, b.server.URL+"/calls", times, list)
	l.busy = (busy(p) - before) / float64(times)
	require.Equal(b.t, items*times, l.Items)
	return l
}

func (b *bench) callsBesideFetch() {
	b.besideFetch("listChats of 100", "chats", 100, b.calls)
	b.besideFetch("getChatHistory of 1,000 messages", "messages", 1000, max(b.calls/10, 1))
}

// besideFetch measures calls that read a list of items.
func (b *bench) besideFetch(title, list string, items, times int) {
	names := [2]string{"chatsdk", "fetch"}
	pages := [2]*test.Page{b.measured(), b.measured()}
	for i, name := range names {
		b.list(pages[i], name, list, items, times)
	}
	var took, work [2]sample
	for range b.runs {
		for i, name := range names {
			l := b.list(pages[i], name, list, items, times)
			took[i], work[i] = append(took[i], l.MS), append(work[i], l.busy)
		}
	}
	b.table("A call and its answer: "+title, []string{"", "a call, ms", "ratio", "main thread busy, ms", "ratio"}, [][]string{
		{"ChatSDK", took[0].String(), ratio(took[0], took[1]), work[0].String(), ratio(work[0], work[1])},
		{"`fetch`, `response.json()`", took[1].String(), ratio(took[1], took[1]), work[1].String(), ratio(work[1], work[1])},
	})
}

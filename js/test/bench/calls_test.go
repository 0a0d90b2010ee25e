package bench_test

import (
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// listing is what a run of calls took.
type listing struct {
	MS    float64 `json:"ms"`
	Chats int     `json:"chats"`
	busy  float64
}

func (b *bench) list(p *test.Page, client string, times int) listing {
	b.t.Helper()
	before := busy(p)
	l := test.Eval[listing](p, `return bench.list($1, $2, $3)`, client, b.server.URL+"/calls", times)
	l.busy = (busy(p) - before) / float64(times)
	require.Equal(b.t, 100*times, l.Chats)
	return l
}

func (b *bench) callsBesideFetch() {
	names := [2]string{"chatsdk", "fetch"}
	pages := [2]*test.Page{b.measured(), b.measured()}
	for i, name := range names {
		b.list(pages[i], name, b.calls)
	}
	var took, work [2]sample
	for range b.runs {
		for i, name := range names {
			l := b.list(pages[i], name, b.calls)
			took[i], work[i] = append(took[i], l.MS), append(work[i], l.busy)
		}
	}
	b.table("A call and its answer: listChats of 100", []string{"", "a call, ms", "ratio", "main thread busy, ms", "ratio"}, [][]string{
		{"ChatSDK", took[0].String(), ratio(took[0], took[1]), work[0].String(), ratio(work[0], work[1])},
		{"`fetch`, `response.json()`", took[1].String(), ratio(took[1], took[1]), work[1].String(), ratio(work[1], work[1])},
	})
}

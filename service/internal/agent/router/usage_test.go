package router_test

import (
	"context"
	"iter"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/router"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// counted is a provider that says what a request took.
type counted struct{ usage *wire.Usage }

func (c counted) Answer(context.Context, answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		yield(answering.Piece{FinishReason: wire.FinishStop, Usage: c.usage}, nil)
	}
}

// The tokens of requests are counted by provider and model, if the provider says how many there were.
func TestTokensAreCounted(t *testing.T) {
	t.Parallel()
	set := prometheus.NewRegistry()
	all := router.New(router.Config{
		Catalog: router.Catalog{Listed: []router.Listed{{Name: "one"}, {Name: "two"}}}, Used: httpapi.CountTokens(set),
		Providers: map[string]answering.Provider{"one": counted{&wire.Usage{InputTokens: 7, CachedTokens: 4, OutputTokens: 3}}, "two": counted{}},
	})
	for _, model := range []string{"small", "two/small", "one/small"} {
		for _, err := range all.Answer(t.Context(), answering.Prompt{Model: model}) {
			require.NoError(t, err)
		}
	}
	counts := map[string]float64{}
	families, err := set.Gather()
	require.NoError(t, err)
	for _, one := range families[0].GetMetric() {
		labels := one.GetLabel() // in the order of their names: kind, model, provider
		counts[labels[2].GetValue()+" "+labels[1].GetValue()+" "+labels[0].GetValue()] = one.GetCounter().GetValue()
	}
	require.Equal(t, map[string]float64{"one small input": 14, "one small cached": 8, "one small output": 6}, counts)
}

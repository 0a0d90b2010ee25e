package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

func FuzzForm(f *testing.F) {
	for _, set := range []func(string) ([]eval.Pair, error){eval.Conflicts, eval.OwnDuplicates, eval.ClosePairs} {
		for _, p := range pairs(f, set) {
			f.Add(p.A, p.B)
		}
	}
	for _, s := range []string{"", "'s", "my", "user's", "I am", "not", "s t", "İstanbul", "ſ", "Kelvin \u212a", "\xff", "から が", "e\u0301", "5pm", "1,000.5", "c++ #"} {
		f.Add(s, "my "+s+" is")
	}
	f.Add("tab", "prefer 0 over tab") // a comparison without words
	f.Fuzz(func(t *testing.T, a, b string) {
		require.True(t, canon.Duplicate(a, a), "reflexive")
		require.False(t, canon.Conflict(a, a), "nothing contradicts itself")
		duplicate, conflict := canon.Duplicate(a, b), canon.Conflict(a, b)
		require.Equal(t, duplicate, canon.Duplicate(b, a), "symmetric")
		require.Equal(t, conflict, canon.Conflict(b, a), "symmetric")
		require.False(t, duplicate && conflict, "a duplicate contradicts nothing")
		near := canon.Of(a).CloseTo(canon.Of(b))
		require.Equal(t, near, canon.Of(b).CloseTo(canon.Of(a)), "symmetric")
		require.False(t, duplicate && near, "a duplicate is not close")
		require.False(t, canon.Of(a).CloseTo(canon.Of(a)), "nothing is close to itself")
		key := canon.Of(a).Key()
		require.Equal(t, key, canon.Of(a).Key(), "stable")
		require.Equal(t, key, canon.Of(" \t"+a+"\n!? ").Key(), "space and punctuation around")
		require.Equal(t, key, canon.Of(strings.ReplaceAll(a, " ", "  ")).Key(), "space between")
		require.Equal(t, canon.Of(strings.ToUpper(a)).Key(), canon.Of(strings.ToLower(strings.ToUpper(a))).Key(), "case")
	})
}

package storetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var recentRules = []rule{
	{"the newest exchanges are those that ended, oldest first", recentAreEnded},
	{"the newest exchanges are as many whole ones as fit", recentFit},
	{"the newest exchanges are a bounded number", recentAreBounded},
	{"the newest exchanges before a question leave out it and later ones", recentBefore},
	{"the newest exchanges of another's chat are not found", recentInScope},
	{"the newest exchanges have the marks that their model wrote", recentHaveMarks},
}

// plenty are more tokens than the tests have.
const plenty = 1 << 30

func recent(t *testing.T, store chat.Store, before string, tokens int) []string {
	t.Helper()
	messages, err := store.Recent(t.Context(), ann, "c1", before, tokens)
	require.NoError(t, err)
	all := []string{}
	for _, m := range messages {
		text := m.ID + " " + m.Role + " " + m.Text
		for _, image := range m.Images {
			text += " " + image.ID
		}
		all = append(all, text)
	}
	return all
}

func recentAreEnded(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1", "c2")
	first, second, third, open := turnIn("c1", "t1"), turnIn("c1", "t2"), turnIn("c1", "t3"), turnIn("c1", "t4")
	first.Question.ImageURLs = []string{"i1", "i2"}
	other := turnIn("c2", "other")
	begin(t, store, ann, first, second, other, third, open)
	require.Empty(t, recent(t, store, "", plenty))
	end(t, store, third, "three")
	end(t, store, other, "elsewhere")
	end(t, store, first, "one")
	failed := second.Answer
	failed.FinishReason = wire.FinishError
	require.NoError(t, store.EndTurn(t.Context(), held(second.StreamID), failed, &chat.End{At: 300}))
	end(t, store, open, "four")
	want := []string{
		"t1-q user question t1 i1 i2", "t1-a assistant one",
		"t2-q user question t2", // the question of an answer without text stays
		"t3-q user question t3", "t3-a assistant three",
		"t4-q user question t4", "t4-a assistant four",
	}
	require.Equal(t, want, recent(t, store, "", plenty))
	begin(t, store, ann, turnIn("c1", "t5"))
	require.Equal(t, want, recent(t, store, "", plenty), "an answer that is being written is not among them")
}

func recentFit(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	for i, text := range []string{"é1é", "é2é"} { // 5 bytes are 2 tokens
		turn := turnIn("c1", fmt.Sprint("t", i))
		turn.Question.Content = "qqqqqqq" // 7 bytes are 3 tokens
		begin(t, store, ann, turn)
		end(t, store, turn, text)
	}
	second := []string{"t1-q user qqqqqqq", "t1-a assistant é2é"}
	both := append([]string{"t0-q user qqqqqqq", "t0-a assistant é1é"}, second...)
	for tokens, want := range map[int][]string{-1: {}, 0: {}, 4: {}, 5: second, 7: second, 9: second, 10: both, plenty: both} {
		require.Equal(t, want, recent(t, store, "", tokens), tokens)
	}
	third := turnIn("c1", "t2")
	third.Question.Content = strings.Repeat("x", 300)
	begin(t, store, ann, third)
	end(t, store, third, "")
	require.Empty(t, recent(t, store, "", 99), "nothing comes before an exchange that does not fit")
}

func recentAreBounded(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	for i := range answering.MaxExchanges + 1 {
		turn := turnIn("c1", fmt.Sprint("t", i))
		begin(t, store, ann, turn)
		end(t, store, turn, "a")
	}
	all := recent(t, store, "", plenty)
	require.Len(t, all, 2*answering.MaxExchanges)
	require.Equal(t, "t1-q user question t1", all[0])
}

func recentBefore(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	for _, name := range []string{"t1", "t2", "t3"} {
		begin(t, store, ann, turnIn("c1", name))
		end(t, store, turnIn("c1", name), name)
	}
	require.Empty(t, recent(t, store, "t1-q", plenty))
	require.Equal(t, []string{"t1-q user question t1", "t1-a assistant t1"}, recent(t, store, "t2-q", plenty))
}

func recentInScope(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	for _, scope := range []access.Scope{bob, alien} {
		_, err := store.Recent(t.Context(), scope, "c1", "", plenty)
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
	_, err := store.Recent(t.Context(), ann, "c2", "", plenty)
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Recent(t.Context(), key, "c1", "", plenty)
	require.NoError(t, err)
}

func recentHaveMarks(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	cited, plain := turnIn("c1", "t1"), turnIn("c1", "t2")
	begin(t, store, ann, cited, plain)
	marks := []answering.Mark{{At: 2, Text: " [1]"}, {At: 2, Text: "【2†\"source\"】"}}
	answer := ended(cited, "é. More.")
	answer.Reasoning = "Hm.\x00"
	require.NoError(t, store.EndTurn(t.Context(), held(cited.StreamID), answer, &chat.End{At: 300, Marks: marks}))
	end(t, store, plain, "two")
	messages, err := store.Recent(t.Context(), ann, "c1", "", plenty)
	require.NoError(t, err)
	require.Equal(t, [][]answering.Mark{nil, marks, nil, nil}, [][]answering.Mark{messages[0].Marks, messages[1].Marks, messages[2].Marks, messages[3].Marks})
	history, err := store.ChatHistory(t.Context(), ann, "c1")
	require.NoError(t, err)
	require.Equal(t, []string{"é. More.", "Hm.\x00"}, []string{history.Messages[1].Content, history.Messages[1].Reasoning})
}

package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var endRules = []rule{
	{"an answer ends once", answersEndOnce},
	{"a stream ends only its own answer", streamEndsItsOwn},
	{"broken turns end with their text so far and an error", brokenTurnsEnd},
	{"a broken turn keeps the sources that its readers saw", brokenTurnsKeepSources},
	{"a broken turn keeps what its rounds took and what its readers saw of its reasoning", brokenTurnsKeepDetails},
	{"without broken turns nothing changes", noBrokenTurns},
}

func answersEndOnce(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	end(t, store, turn, "first")
	require.ErrorIs(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "second"), &chat.End{At: 300}), fault.ErrNotFound)
	require.ErrorIs(t, store.AppendEvents(t.Context(), held("t-s"), chunks(2, "late")), fault.ErrNotFound)
	require.Equal(t, ended(turn, "first"), answerOf(t, store, turn))
}

func streamEndsItsOwn(t *testing.T, store chat.Store) {
	one, two := turnInNew("c1", "one"), turnIn("c1", "two")
	begin(t, store, ann, one, two)
	before := everything(t, store)
	err := store.EndTurn(t.Context(), held("one-s"), ended(two, "mixed up"), &chat.End{At: 300})
	require.Error(t, err)
	require.NotErrorIs(t, err, fault.ErrNotFound)
	require.Equal(t, before, everything(t, store))
	end(t, store, one, "done")
	require.Equal(t, []string{"question one", "done", "question two", ""}, contents(t, store, "c1"))
}

func brokenTurnsEnd(t *testing.T, store chat.Store) {
	done, cut, silent, afar := turnInNew("c1", "done"), turnIn("c1", "cut"), turnIn("c1", "silent"), turnInNew("c2", "afar")
	cut.Answer.ModelName = "model"
	begin(t, store, ann, done, cut, silent)
	begin(t, store, alien, afar)
	end(t, store, done, "whole")
	require.NoError(t, store.AppendEvents(t.Context(), held("cut-s"), chunks(2, "half ", "a sen")))
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "cut-a", true))
	order := list(t, store, ann)

	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Len(t, broken, 3, "of every project")

	want := cut.Answer
	want.Content, want.FinishReason, want.Feedback = "half a sen", wire.FinishError, new(bool)
	*want.Feedback = true
	require.Equal(t, want, answerOf(t, store, cut))
	empty := silent.Answer
	empty.FinishReason = wire.FinishError
	require.Equal(t, empty, answerOf(t, store, silent))
	require.Equal(t, ended(done, "whole"), answerOf(t, store, done))
	require.Equal(t, order, list(t, store, ann), "it is not an activity")
	require.ErrorIs(t, store.AppendEvents(t.Context(), held("cut-s"), chunks(4, "late")), fault.ErrNotFound)
	require.Equal(t, wire.FinishError, history(t, store, alien, "c2").Messages[1].FinishReason)

	broken, err = store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken)
}

func brokenTurnsKeepDetails(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	call := callOf(turn, "k")
	park(t, store, turn, call)
	set(t, store, "k", settled)
	next := held("t-s")
	next.Epoch++
	require.NoError(t, store.TakeTurn(t.Context(), next))
	thought := chat.Event{ID: 4, Type: wire.EventReasoning, Data: []byte(`{"text":"Hm."}`)}
	require.NoError(t, store.AppendEvents(t.Context(), next, append([]chat.Event{thought}, chunks(5, "half")...)))
	want := answerOf(t, store, turn)
	require.Equal(t, []string{"half", "Hm."}, []string{want.Content, want.Reasoning})
	_, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	want.FinishReason, want.StreamID, want.Usage, want.LeftOut = wire.FinishError, "", parkingOf(call).Round.Usage, &wire.LeftOut{Images: 1}
	require.Equal(t, want, answerOf(t, store, turn))
}

func brokenTurnsKeepSources(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	told := func(id int64, data string) chat.Event {
		return chat.Event{ID: id, Type: wire.EventMessageObject, Data: []byte(data)}
	}
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), []chat.Event{
		told(2, `{"sources":[{"title":"Web","url":"u","score":1}]}`),
		told(3, `{"sources":[{"document_key":"d","title":"T","snippet":"S","score":0.5,"passage_id":"d_0","start":1,"end":2},{"title":"Web","url":"u","score":1}]}`),
		told(4, `{"quotes":[{"text":"x"}]}`), told(5, `{"sources":"of somebody else"}`),
	}))
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(6, "seen")))
	want := turn.Answer
	want.Content, want.StreamID = "seen", "t-s"
	want.Sources = []wire.Source{
		{Title: "Web", URL: "u", Score: 1},
		{DocumentKey: "d", Title: "T", Snippet: "S", Score: 0.5, PassageID: "d_0", Start: 1, End: 2},
	}
	require.Equal(t, want, answerOf(t, store, turn), "a reader who reloads the page sees them too")
	_, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	want.FinishReason, want.StreamID = wire.FinishError, ""
	require.Equal(t, want, answerOf(t, store, turn))
}

func noBrokenTurns(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	end(t, store, turn, "whole")
	before := everything(t, store)
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken)
	require.Equal(t, before, everything(t, store))
}

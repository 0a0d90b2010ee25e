package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var feedbackRules = []rule{
	{"a second rating replaces the first", ratingsReplace},
	{"a question can't be rated", questionsAreNotRated},
	{"a rating given while the answer is written stays", ratingOutlivesEnd},
}

func ratingsReplace(t *testing.T, store chat.Store) {
	one, two := turnInNew("c1", "one"), turnIn("c1", "two")
	begin(t, store, ann, one, two)
	end(t, store, one, "text")
	for _, positive := range []bool{true, false, false, true} {
		require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "one-a", positive))
		require.Equal(t, &positive, answerOf(t, store, one).Feedback)
	}
	require.Nil(t, answerOf(t, store, two).Feedback)
}

func questionsAreNotRated(t *testing.T, store chat.Store) {
	begin(t, store, ann, turnInNew("c1", "t"), turnInNew("c2", "u"))
	before := everything(t, store)
	require.ErrorIs(t, store.SetFeedback(t.Context(), ann, "c1", "t-q", true), chat.ErrNotAnswer)
	require.ErrorIs(t, store.SetFeedback(t.Context(), ann, "c1", "u-a", true), fault.ErrNotFound, "it is in another chat")
	require.ErrorIs(t, store.SetFeedback(t.Context(), ann, "c1", "t-x", true), fault.ErrNotFound)
	require.Equal(t, before, everything(t, store))
}

func ratingOutlivesEnd(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "t-a", true))
	require.True(t, *answerOf(t, store, turn).Feedback)
	end(t, store, turn, "text")
	require.True(t, *answerOf(t, store, turn).Feedback)
}

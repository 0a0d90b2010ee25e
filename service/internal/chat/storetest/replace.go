package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var replaceRules = []rule{
	{"an answer that replaces another takes its place when it is whole", answersReplace},
	{"an answer that failed replaces nothing", failuresReplaceNothing},
	{"a broken answer replaces nothing", brokenReplacesNothing},
	{"only the last answer that has ended can be replaced", whatCanBeReplaced},
	{"what was claimed for an answer is claimed for what replaced it", claimsFollow},
	{"the options of a question come back", optionsComeBack},
	{"a chat comes back as it was made", chatsComeBack},
}

// again is a turn that replaces the answer of another one.
func again(turn chat.Turn, name string) chat.Turn {
	next := turnIn(turn.Question.ChatID, name)
	next.Question, next.Replaces = turn.Question, turn.Answer.ID
	next.Answer.CreatedAt = 250
	return next
}

func answersReplace(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "last-a", false))
	for _, finish := range []string{wire.FinishStop, wire.FinishStopped, wire.FinishLength} {
		next := again(last, "next-"+finish)
		begin(t, store, ann, next)
		require.NoError(t, store.AppendEvents(t.Context(), held(next.StreamID), chunks(2, "new")))
		require.Equal(t, next.StreamID, answerOf(t, store, last).StreamID, "who reads the history can follow it")
		require.Equal(t, []string{"question first", "one", "question last", "two"}, contents(t, store, "c1"))
		require.ErrorIs(t, store.SetFeedback(t.Context(), ann, "c1", next.Answer.ID, true), fault.ErrNotFound, "it is no part of the history yet")
		require.Equal(t, 250.0, list(t, store, ann)[0].UpdatedAt)

		answer := ended(next, "two")
		answer.FinishReason = finish
		require.NoError(t, store.EndTurn(t.Context(), held(next.StreamID), answer, whole()))
		messages := history(t, store, ann, "c1").Messages
		require.Equal(t, first.Question, messages[0])
		require.Equal(t, []wire.Message{last.Question, answer}, messages[2:])
		_, err := store.Stream(t.Context(), ann, last.StreamID)
		require.ErrorIs(t, err, fault.ErrNotFound)
		require.Equal(t, "last-q", stored(t, store, next.StreamID).Start.UserMessageID)
		last = next
	}
	begin(t, store, ann, turnIn("c1", "more"))
	require.Equal(t, []string{"question first", "one", "question last", "two", "question more", ""}, contents(t, store, "c1"))
}

func failuresReplaceNothing(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	end(t, store, turn, "one")
	before := history(t, store, ann, "c1")
	next := again(turn, "next")
	begin(t, store, ann, next)
	failed := ended(next, "half")
	failed.FinishReason = wire.FinishError
	require.NoError(t, store.EndTurn(t.Context(), held("next-s"), failed, &chat.End{At: 300, Error: &chat.Failure{}}))
	require.Equal(t, before, history(t, store, ann, "c1"))
	require.Equal(t, failed, stored(t, store, "next-s").Answer, "its stream is kept as any other")
	begin(t, store, ann, again(turn, "third"))
	end(t, store, again(turn, "third"), "three")
	require.Equal(t, []string{"question t", "three"}, contents(t, store, "c1"))
	require.Equal(t, failed, stored(t, store, "next-s").Answer)
}

func brokenReplacesNothing(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	end(t, store, turn, "one")
	before := history(t, store, ann, "c1")
	begin(t, store, ann, again(turn, "next"))
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Len(t, broken, 1)
	require.Equal(t, before, history(t, store, ann, "c1"))
	require.Equal(t, wire.FinishError, stored(t, store, "next-s").Answer.FinishReason)
}

func whatCanBeReplaced(t *testing.T, store chat.Store) {
	first, last, other := turnInNew("c1", "first"), turnIn("c1", "last"), turnInNew("c2", "other")
	begin(t, store, ann, first, last, other)
	end(t, store, first, "one")
	refused := func(scope access.Scope, turn chat.Turn) error {
		t.Helper()
		before := everything(t, store)
		err := store.BeginTurn(t.Context(), scope, turn)
		require.Error(t, err)
		require.Equal(t, before, everything(t, store))
		return err
	}
	require.ErrorIs(t, refused(ann, again(first, "x")), chat.ErrNotLast, "there is a later one")
	require.ErrorIs(t, refused(ann, again(last, "x")), chat.ErrNotLast, "it is being written")
	end(t, store, last, "two")
	require.ErrorIs(t, refused(bob, again(last, "x")), fault.ErrNotFound)
	question := again(last, "x")
	question.Replaces = last.Question.ID
	require.ErrorIs(t, refused(ann, question), fault.ErrNotFound, "a question is no answer")
	elsewhere := again(last, "x")
	elsewhere.Replaces = other.Answer.ID
	require.ErrorIs(t, refused(ann, elsewhere), fault.ErrNotFound, "it is another chat's")

	next := again(last, "next")
	begin(t, store, ann, next)
	require.ErrorIs(t, refused(ann, again(last, "x")), chat.ErrNotLast, "it is being regenerated")
	require.ErrorIs(t, refused(ann, again(next, "x")), fault.ErrNotFound, "this one is not in the history yet")
	end(t, store, next, "new")
	require.ErrorIs(t, refused(ann, again(last, "x")), fault.ErrNotFound, "it is replaced")
	begin(t, store, ann, again(next, "fourth"))
}

func claimsFollow(t *testing.T, store chat.Store) {
	turn := claimed(turnInNew("c1", "t"), "k")
	begin(t, store, ann, turn, claimed(turnInNew("c2", "u"), "other"))
	end(t, store, turn, "one")
	next := claimed(again(turn, "next"), "k2")
	begin(t, store, ann, next)
	require.Equal(t, "t-s", subject(t, store, ann, "k"))
	end(t, store, next, "two")
	require.Equal(t, []string{"next-s", "next-s", "u-s"},
		[]string{subject(t, store, ann, "k"), subject(t, store, ann, "k2"), subject(t, store, ann, "other")})
}

func optionsComeBack(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	turn.Options = wire.JSON(`{"agent_id": "a"}`)
	begin(t, store, ann, turn, turnInNew("c2", "u"))
	options, err := store.SendOptions(t.Context(), "t-q")
	require.NoError(t, err)
	require.Equal(t, string(turn.Options), string(options))
	options, err = store.SendOptions(t.Context(), "u-q")
	require.NoError(t, err)
	require.Nil(t, options)
	for _, id := range []string{"none", "t-a"} {
		_, err = store.SendOptions(t.Context(), id)
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
}

func chatsComeBack(t *testing.T, store chat.Store) {
	made := wire.Chat{ChatID: "c1", Name: "N", DocumentKeys: []string{"d"}, Metadata: wire.JSON(`{ "a":1}`), UserID: "ann", CreatedAt: 1, UpdatedAt: 1}
	require.NoError(t, store.CreateChat(t.Context(), ann, made, nil))
	for _, scope := range []access.Scope{ann, key} {
		got, err := store.Chat(t.Context(), scope, "c1")
		require.NoError(t, err)
		require.Equal(t, made, got)
	}
	for _, scope := range []access.Scope{bob, alien} {
		_, err := store.Chat(t.Context(), scope, "c1")
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
}

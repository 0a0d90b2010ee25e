package storetest

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var branchRules = []rule{
	{"another answer is a sibling of the first, and the path leads to it", answersAreSiblings},
	{"after another answer that failed, or said nothing, the path returns", pathsReturn},
	{"a path that somebody moved meanwhile stays", movedPathsStay},
	{"an edited question is a sibling of the first, with the same parent", editsAreSiblings},
	{"an edited question no longer waits to be examined", editsForget},
	{"a question follows the answer that it names", questionsFollow},
	{"where a turn may be added", whereTurnsAreAdded},
	{"the path leads through a selected message to its newest descendant", branchesAreSelected},
	{"a key that is taken selects no path", branchesAreSelectedOnce},
	{"pages of all branches have each message once, in order of arrival", allBranches},
	{"a prompt has the exchanges of its own path", recentOfBranch},
	{"the options of a question come back", optionsComeBack},
	{"a chat comes back as it was made", chatsComeBack},
}

// again is a turn that answers the question of another one again.
func again(turn chat.Turn, name string) chat.Turn {
	next := turnIn(turn.Question.ChatID, name)
	next.Question, next.Again = turn.Question, true
	next.Answer.CreatedAt, next.Answer.ParentID = 250, turn.Question.ID
	return next
}

// edited is a turn that edits the question of another one.
func edited(turn chat.Turn, name string) chat.Turn {
	next := turnIn(turn.Question.ChatID, name)
	next.Edits = turn.Question.ID
	return next
}

// after is a turn that follows the answer of another one.
func after(turn chat.Turn, name string) chat.Turn {
	next := turnIn(turn.Question.ChatID, name)
	next.Parent = turn.Answer.ID
	return next
}

// path are the ids of the messages that a chat's history has.
func path(t *testing.T, store chat.Store) []string {
	t.Helper()
	return messageIDs(history(t, store, ann, "c1").Messages)
}

func message(t *testing.T, store chat.Store, id string) wire.Message {
	t.Helper()
	one, err := store.Message(t.Context(), ann, "c1", id)
	require.NoError(t, err)
	return one
}

func answersAreSiblings(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	next := again(last, "next")
	begin(t, store, ann, next)
	require.Equal(t, []string{"first-q", "first-a", "last-q", "next-a"}, path(t, store), "from its start")
	require.Equal(t, next.StreamID, message(t, store, "next-a").StreamID)
	require.Equal(t, []string{"last-a", "next-a"}, message(t, store, "next-a").Siblings)
	require.Equal(t, 250.0, list(t, store, ann)[0].UpdatedAt)
	end(t, store, next, "three")
	require.Equal(t, []string{"question first", "one", "question last", "three"}, contents(t, store, "c1"))

	early := again(first, "early")
	begin(t, store, ann, early)
	end(t, store, early, "four")
	require.Equal(t, []string{"first-q", "early-a"}, path(t, store), "any answer, not only the last")
	require.NoError(t, store.SetFeedback(t.Context(), ann, "c1", "last-a", false), "what the path does not have can be rated")
	old, err := store.Stream(t.Context(), ann, last.StreamID)
	require.NoError(t, err)
	require.Equal(t, "two", old.Answer.Content)
	require.Equal(t, "last-q", stored(t, store, next.StreamID).Start.UserMessageID)
	require.Equal(t, []string{"", "first-q", "first-a", "last-q"}, []string{
		message(t, store, "first-q").ParentID, message(t, store, "first-a").ParentID,
		message(t, store, "last-q").ParentID, message(t, store, "last-a").ParentID,
	})
	require.Nil(t, message(t, store, "last-q").Siblings)
}

func pathsReturn(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	before := path(t, store)
	for name, answer := range map[string]wire.Message{
		"failed":  {Content: "half", FinishReason: wire.FinishError},
		"stopped": {FinishReason: wire.FinishStopped},
	} {
		next := again(first, name)
		begin(t, store, ann, next)
		require.Equal(t, []string{"first-q", name + "-a"}, path(t, store))
		answer.ID, answer.ChatID, answer.Role = next.Answer.ID, "c1", wire.RoleAssistant
		require.NoError(t, store.EndTurn(t.Context(), held(next.StreamID), answer, &chat.End{At: 300}))
		require.Equal(t, before, path(t, store), name)
		require.Equal(t, answer.Content, message(t, store, next.Answer.ID).Content, "it is kept")
	}
	begin(t, store, ann, again(first, "broken"))
	_, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Equal(t, before, path(t, store), "interrupted")

	said := again(first, "said")
	begin(t, store, ann, said)
	answer := ended(said, "a word")
	answer.FinishReason = wire.FinishStopped
	require.NoError(t, store.EndTurn(t.Context(), held(said.StreamID), answer, &chat.End{At: 300}))
	require.Equal(t, []string{"first-q", "said-a"}, path(t, store))

	question := turnIn("c1", "question")
	begin(t, store, ann, question)
	answer = ended(question, "")
	answer.FinishReason = wire.FinishError
	require.NoError(t, store.EndTurn(t.Context(), held(question.StreamID), answer, &chat.End{At: 300}))
	require.Equal(t, []string{"first-q", "said-a", "question-q", "question-a"}, path(t, store), "a new question stays")
}

func movedPathsStay(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	next := again(last, "next")
	begin(t, store, ann, next, after(next, "more"))
	answer := ended(next, "")
	answer.FinishReason = wire.FinishError
	require.NoError(t, store.EndTurn(t.Context(), held(next.StreamID), answer, &chat.End{At: 300}))
	require.Equal(t, []string{"first-q", "first-a", "last-q", "next-a", "more-q", "more-a"}, path(t, store))
}

func editsAreSiblings(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	begin(t, store, ann, edited(last, "other"))
	require.Equal(t, []string{"first-q", "first-a", "other-q", "other-a"}, path(t, store))
	require.Equal(t, []string{"last-q", "other-q"}, message(t, store, "other-q").Siblings)
	begin(t, store, ann, edited(first, "begin"))
	require.Equal(t, []string{"begin-q", "begin-a"}, path(t, store))
	require.Equal(t, []string{"first-q", "begin-q"}, message(t, store, "first-q").Siblings)
	require.Empty(t, message(t, store, "begin-q").ParentID)
	begin(t, store, ann, turnInNew("c2", "elsewhere"))
	require.Equal(t, []string{"first-q", "begin-q"}, message(t, store, "begin-q").Siblings, "another chat's first question is not a sibling")
}

func editsForget(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	for _, turn := range []*chat.Turn{&first, &last} {
		turn.Examine = &chat.Examine{AgentID: "a", Enabled: true}
	}
	begin(t, store, ann, first, last)
	queue, examines := store.(interface {
		CountJobs(ctx context.Context) (int, error)
	})
	require.True(t, examines)
	count := func() int {
		count, err := queue.CountJobs(t.Context())
		require.NoError(t, err)
		return count
	}
	require.Equal(t, 2, count())
	begin(t, store, ann, edited(last, "other"))
	require.Equal(t, 1, count())
}

func questionsFollow(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	begin(t, store, ann, after(first, "other"))
	require.Equal(t, []string{"first-q", "first-a", "other-q", "other-a"}, path(t, store))
	begin(t, store, ann, after(last, "running"))
	require.Equal(t, []string{"first-q", "first-a", "last-q", "last-a", "running-q", "running-a"}, path(t, store), "also a running one")
	begin(t, store, ann, turnIn("c1", "more"))
	require.Equal(t, "running-a", message(t, store, "more-q").ParentID, "without a parent, the last of the path")
}

func whereTurnsAreAdded(t *testing.T, store chat.Store) {
	first, other := turnInNew("c1", "first"), turnInNew("c2", "other")
	begin(t, store, ann, first, other)
	refused := func(scope access.Scope, turn chat.Turn) error {
		t.Helper()
		before := everything(t, store)
		err := store.BeginTurn(t.Context(), scope, turn)
		require.Error(t, err)
		require.Equal(t, before, everything(t, store))
		return err
	}
	stranger := turnIn("c1", "stranger")
	for _, turn := range []chat.Turn{again(stranger, "x"), edited(stranger, "x"), after(stranger, "x")} {
		require.ErrorIs(t, refused(ann, turn), fault.ErrNotFound, "there is no such message")
	}
	for _, turn := range []chat.Turn{again(first, "x"), edited(first, "x"), after(first, "x")} {
		require.ErrorIs(t, refused(bob, turn), fault.ErrNotFound, "it is another user's")
	}
	elsewhere := after(first, "x")
	elsewhere.Parent = other.Answer.ID
	require.ErrorIs(t, refused(ann, elsewhere), fault.ErrNotFound, "it is another chat's")
	question, answer := after(first, "x"), edited(first, "x")
	question.Parent, answer.Edits = first.Question.ID, first.Answer.ID
	require.ErrorIs(t, refused(ann, question), chat.ErrNotParent)
	require.ErrorIs(t, refused(ann, answer), chat.ErrNotQuestion)
}

func branchesAreSelected(t *testing.T, store chat.Store) {
	first, last := turnInNew("c1", "first"), turnIn("c1", "last")
	begin(t, store, ann, first, last)
	end(t, store, first, "one")
	end(t, store, last, "two")
	next, beside := again(last, "next"), edited(first, "beside")
	begin(t, store, ann, next, beside)
	for id, want := range map[string]string{
		"first-q": "next-a", "first-a": "next-a", "last-q": "next-a", "last-a": "last-a", "next-a": "next-a", "beside-q": "beside-a",
	} {
		got, err := store.SelectBranch(t.Context(), ann, "c1", id, nil)
		require.NoError(t, err)
		require.Equal(t, want, got, id)
		now := path(t, store)
		require.Contains(t, now, id)
		for _, one := range []string{"first-a", "last-a", "next-a", "beside-a"} {
			shown, err := store.OnPath(t.Context(), []string{one, "next-a", "gone"})
			require.NoError(t, err)
			require.Equal(t, slices.Contains(now, one), slices.Contains(shown, one), "%s on the path of %s", one, id)
			require.Equal(t, slices.Contains(now, "next-a"), slices.Contains(shown, "next-a"))
		}
		require.Equal(t, want, now[len(now)-1])
	}
	for _, id := range []string{"first-q", "last-a"} {
		page, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Through: id, Limit: 100})
		require.NoError(t, err)
		require.Contains(t, messageIDs(page.Messages), id)
	}
	before := path(t, store)
	for _, scope := range []access.Scope{bob, alien} {
		_, err := store.SelectBranch(t.Context(), scope, "c1", "first-q", nil)
		require.ErrorIs(t, err, fault.ErrNotFound)
		_, err = store.Message(t.Context(), scope, "c1", "first-q")
		require.ErrorIs(t, err, fault.ErrNotFound)
	}
	_, err := store.SelectBranch(t.Context(), ann, "c1", "nobody", claimOf(ann, "free", "nobody"))
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.HistoryPage(t.Context(), ann, "c1", chat.Page{Through: "nobody", Limit: 1})
	require.ErrorIs(t, err, fault.ErrNotFound)
	require.Empty(t, subject(t, store, ann, "free"), "a refusal leaves the key free")
	require.Equal(t, before, path(t, store))
}

func branchesAreSelectedOnce(t *testing.T, store chat.Store) {
	first := turnInNew("c1", "first")
	begin(t, store, ann, first)
	end(t, store, first, "one")
	begin(t, store, ann, edited(first, "beside"))
	got, err := store.SelectBranch(t.Context(), ann, "c1", "first-q", claimOf(ann, "k", "first-q"))
	require.NoError(t, err)
	require.Equal(t, "first-a", got)
	require.Equal(t, "first-q", subject(t, store, ann, "k"))
	_, err = store.SelectBranch(t.Context(), ann, "c1", "beside-q", claimOf(ann, "k", "beside-q"))
	require.ErrorIs(t, err, errTaken)
	require.Equal(t, []string{"first-q", "first-a"}, path(t, store))
}

func allBranches(t *testing.T, store chat.Store) {
	exchanges(t, store, 2)
	begin(t, store, ann, edited(turnIn("c1", "1"), "other"), again(turnIn("c1", "1"), "again"))
	want := []string{"1-q", "1-a", "2-q", "2-a", "other-q", "other-a", "again-a"}
	for limit := 1; limit <= len(want); limit++ {
		var all []string
		for before, more := "", true; more; {
			page, err := store.HistoryPage(t.Context(), ann, "c1", chat.Page{Before: before, All: true, Limit: limit})
			require.NoError(t, err)
			ids := messageIDs(page.Messages)
			all, before, more = append(ids, all...), ids[0], page.HasMore
		}
		require.Equal(t, want, all, limit)
	}
}

func recentOfBranch(t *testing.T, store chat.Store) {
	exchanges(t, store, 3)
	next, other := again(turnIn("c1", "2"), "next"), edited(turnIn("c1", "2"), "other")
	begin(t, store, ann, next, other)
	end(t, store, next, "again")
	end(t, store, other, "else")
	require.Equal(t, []string{"1-q user question 1", "1-a assistant answer 1"}, recent(t, store, "2-q", plenty))
	require.Equal(t, []string{"1-q user question 1", "1-a assistant answer 1"}, recent(t, store, "other-q", plenty))
	require.Equal(t, []string{
		"1-q user question 1", "1-a assistant answer 1", "other-q user question other", "other-a assistant else",
	}, recent(t, store, "", plenty))
	require.Equal(t, []string{
		"1-q user question 1", "1-a assistant answer 1", "2-q user question 2", "2-a assistant answer 2",
	}, recent(t, store, "3-q", plenty))
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

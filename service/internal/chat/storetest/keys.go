package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

var errTaken = once.ErrTaken

var claimRules = []rule{
	{"a key is claimed with what it is for", claimsComeBack},
	{"a key belongs to a project and a user", claimsInScope},
	{"a key that is taken stores nothing", takenKeys},
	{"a claim ends when its time is over", claimsEnd},
	{"of many claims at once one succeeds", claimsAtOnce},
	{"a claim outlives its chat", claimsOutliveChats},
}

// claimed is a turn that takes a key of ann's, at 200.
func claimed(turn chat.Turn, name string) chat.Turn {
	turn.Key = claimOf(ann, name, turn.StreamID)
	return turn
}

func claimOf(scope access.Scope, name, subject string) *once.UsedKey {
	return &once.UsedKey{
		ID:          once.ID{ProjectID: scope.ProjectID, UserID: scope.UserID, Key: name},
		Fingerprint: once.Fingerprint{1, 2, 31: 3}, Subject: subject, At: 200,
	}
}

// subject is what a key is claimed for, empty for nothing.
func subject(t *testing.T, store chat.Store, scope access.Scope, name string) string {
	t.Helper()
	claim, found, err := store.UsedKey(t.Context(), claimOf(scope, name, "").ID, 0)
	require.NoError(t, err)
	require.Equal(t, found, claim.Subject != "")
	return claim.Subject
}

func claimsComeBack(t *testing.T, store chat.Store) {
	claim := claimOf(ann, "key!~", "c1")
	claim.Result = `["id"]`
	require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, claim))
	got, found, err := store.UsedKey(t.Context(), claim.ID, 199)
	require.NoError(t, err)
	require.True(t, found)
	require.Equal(t, *claim, got)
	require.Empty(t, subject(t, store, ann, "KEY!~"), "another key")
	begin(t, store, ann, claimed(turnIn("c1", "t"), "k"))
	require.Equal(t, "t-s", subject(t, store, ann, "k"))
}

func claimsInScope(t *testing.T, store chat.Store) {
	for i, scope := range []access.Scope{ann, bob, key, alien} {
		turn := turnInNew(fmt.Sprint("c", i), fmt.Sprint(i))
		turn.Key = claimOf(scope, "k", turn.StreamID)
		begin(t, store, scope, turn)
	}
	for i, scope := range []access.Scope{ann, bob, key, alien} {
		require.Equal(t, fmt.Sprint(i, "-s"), subject(t, store, scope, "k"))
	}
}

func takenKeys(t *testing.T, store chat.Store) {
	begin(t, store, ann, claimed(turnInNew("c1", "t"), "k"))
	before := everything(t, store)
	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, claimed(turnIn("c1", "u"), "k")), errTaken)
	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, claimed(turnInNew("c2", "u"), "k")), errTaken)
	require.ErrorIs(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c3", Name: "N"}, claimOf(ann, "k", "c3")), errTaken)
	require.Equal(t, before, everything(t, store))
	require.Equal(t, "t-s", subject(t, store, ann, "k"))

	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, claimed(turnIn("c?", "u"), "free")), fault.ErrNotFound)
	require.Empty(t, subject(t, store, ann, "free"), "a refusal leaves the key free")
}

func claimsEnd(t *testing.T, store chat.Store) {
	turn := claimed(turnInNew("c1", "t"), "k")
	begin(t, store, ann, turn)
	_, found, err := store.UsedKey(t.Context(), claimOf(ann, "k", "").ID, 200)
	require.NoError(t, err)
	require.True(t, found, "its answer is being written")
	require.NoError(t, store.Sweep(t.Context(), 0, 200))
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "text"), &chat.End{At: 200}))
	_, found, err = store.UsedKey(t.Context(), claimOf(ann, "k", "").ID, 199)
	require.NoError(t, err)
	require.True(t, found, "its answer ended later")
	_, found, err = store.UsedKey(t.Context(), claimOf(ann, "k", "").ID, 200)
	require.NoError(t, err)
	require.False(t, found, "swept or not")
	early, late := claimed(turnIn("c1", "early"), "k"), claimed(turnIn("c1", "late"), "k")
	early.Key.At = 200 + once.Lifetime.Seconds() - 1
	late.Key.At = 200 + once.Lifetime.Seconds()
	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, early), errTaken)
	begin(t, store, ann, late)
	require.NoError(t, store.EndTurn(t.Context(), held("late-s"), ended(late, "text"), &chat.End{At: 200}))
	require.Equal(t, "late-s", subject(t, store, ann, "k"))
	require.NoError(t, store.Sweep(t.Context(), 0, late.Key.At-1))
	require.Equal(t, "late-s", subject(t, store, ann, "k"))
	require.NoError(t, store.Sweep(t.Context(), 0, late.Key.At))
	require.Empty(t, subject(t, store, ann, "k"))
}

func claimsAtOnce(t *testing.T, store chat.Store) {
	create(t, store, ann, "c1")
	var held atomic.Int64
	require.NoError(t, atOnce(8, func(i int) error {
		for j := range 5 {
			err := store.BeginTurn(t.Context(), ann, claimed(turnIn("c1", fmt.Sprint(i, ".", j)), fmt.Sprint("k", j)))
			switch {
			case err == nil:
				held.Add(1)
			case !errors.Is(err, errTaken):
				return err
			}
		}
		return nil
	}))
	require.EqualValues(t, 5, held.Load())
	require.Len(t, history(t, store, ann, "c1").Messages, 10)
}

func claimsOutliveChats(t *testing.T, store chat.Store) {
	begin(t, store, ann, claimed(turnInNew("c1", "t"), "k"))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	require.Equal(t, "t-s", subject(t, store, ann, "k"))
}

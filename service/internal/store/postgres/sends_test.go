package postgres_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
)

// sendAtOnce sends from two replicas at once and returns how many were not refused with a code.
func sendAtOnce(t *testing.T, one, two *postgres.Store, round string, n int, code string) int64 {
	t.Helper()
	var sent atomic.Int64
	require.NoError(t, atOnce(n, func(i int) error {
		err := []*postgres.Store{one, two}[i%2].BeginTurn(t.Context(), ann, turn(fmt.Sprint(round, i)))
		var refusal *fault.Error
		switch {
		case err == nil:
			sent.Add(1)
		case !errors.As(err, &refusal) || refusal.Code != code || refusal.RetryAfter <= 0 || refusal.RetryAfter > 30*time.Second:
			return err
		}
		return nil
	}))
	return sent.Load()
}

func TestSendsAMinuteHoldOverReplicas(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	one.Limits.SendsPerMinute, two.Limits.SendsPerMinute = 2, 2
	require.EqualValues(t, 2, sendAtOnce(t, one, two, "first", 10, wire.CodeRateLimited))
	chats, err := one.ListChats(t.Context(), ann, 0, 100)
	require.NoError(t, err)
	require.Len(t, chats.Chats, 2, "what is refused stores nothing")
	require.NoError(t, two.BeginTurn(t.Context(), access.Scope{ProjectID: "project", UserID: "bob"}, turn("bob's")))

	run(t, address, `UPDATE user_sends SET at = at - interval '30 seconds'`)
	require.EqualValues(t, 1, sendAtOnce(t, one, two, "second", 6, wire.CodeRateLimited))
	run(t, address, `UPDATE user_sends SET at = at - interval '1 hour'`)
	require.EqualValues(t, 2, sendAtOnce(t, one, two, "third", 6, wire.CodeRateLimited), "a minute's are saved up, and no more")
	run(t, address, `UPDATE user_sends SET at = at + interval '1 hour'`)
	require.EqualValues(t, 0, sendAtOnce(t, one, two, "fourth", 3, wire.CodeRateLimited), "a clock that was set back gives nothing")
	require.NoError(t, one.Sweep(t.Context(), 0, 0))
	require.EqualValues(t, 0, sendAtOnce(t, one, two, "fifth", 2, wire.CodeRateLimited))
}

func TestARepeatDoesNotCountAsASend(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	one.Limits.SendsPerMinute, two.Limits.SendsPerMinute = 1, 1
	for i, store := range []*postgres.Store{one, two} {
		repeat := turn(fmt.Sprint("t", i))
		repeat.Key = &once.UsedKey{ID: once.ID{ProjectID: "project", UserID: "ann", Key: "k"}, Subject: repeat.StreamID, At: 100}
		err := store.BeginTurn(t.Context(), ann, repeat)
		if i == 0 {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, once.ErrTaken)
	}
}

func TestRunningStreamsHoldOverReplicas(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	one.Limits.StreamsPerUser, two.Limits.StreamsPerUser = 3, 3
	require.EqualValues(t, 3, sendAtOnce(t, one, two, "first", 10, wire.CodeQuotaExceeded))
	owned, err := one.Owned(t.Context())
	require.NoError(t, err)
	more, err := two.Owned(t.Context())
	require.NoError(t, err)
	owned = append(owned, more...)
	require.Len(t, owned, 3)
	name := owned[0].StreamID[:len(owned[0].StreamID)-len("-s")]
	answer := turn(name).Answer
	answer.FinishReason = wire.FinishStop
	require.NoError(t, one.EndTurn(t.Context(), held(name), answer, &chat.End{At: 300}))
	require.EqualValues(t, 1, sendAtOnce(t, one, two, "second", 6, wire.CodeQuotaExceeded))
}

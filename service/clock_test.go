package main_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/clock"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
	logs "github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// stepped is the clock of a machine that is ahead.
func stepped(by time.Duration) func() time.Time {
	return func() time.Time { return time.Now().Round(0).Add(by) }
}

func TestTheDatabasesClockCounts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	var away error
	read := func(context.Context) (time.Time, error) { return at, away }
	ahead, log := 0*time.Second, &bytes.Buffer{}
	own := func() time.Time { return at.Add(ahead) }
	shared, err := clock.NewDatabase(t.Context(), own, read, slog.New(slog.NewTextHandler(log, nil)))
	require.NoError(t, err)
	require.WithinDuration(t, at, shared.Now(), time.Minute)
	require.Empty(t, log.String(), "they agree")

	ahead = 3 * time.Minute
	require.NoError(t, shared.Compare(t.Context()))
	require.NoError(t, shared.Compare(t.Context()))
	require.Equal(t, 1, strings.Count(log.String(), "the clock of this machine differs from the database's"), log)
	require.Contains(t, log.String(), "seconds_ahead=180")
	require.WithinDuration(t, at, shared.Now(), time.Minute, "what the machine's clock shows has no effect")
	ahead = 0
	require.NoError(t, shared.Compare(t.Context()))
	require.Contains(t, log.String(), "agrees with the database's again")

	at = at.Add(time.Hour)
	require.NoError(t, shared.Compare(t.Context()))
	require.WithinDuration(t, at, shared.Now(), time.Minute, "the database's clock was set")
	away = errors.New("away")
	require.Error(t, shared.Compare(t.Context()))
	require.WithinDuration(t, at, shared.Now(), time.Minute, "and the time goes on without the database")
}

// A replica whose clock is minutes ahead takes no running call of another replica for lost.
func TestAClockThatIsAheadLosesNoCalls(t *testing.T) {
	t.Parallel()
	database := pgtest.New(t)
	store := func(name string) *postgres.Store {
		opened, err := postgres.Open(t.Context(), postgres.Config{URL: database, Replica: name})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, opened.Close()) })
		require.NoError(t, opened.RenewLease(t.Context()))
		return opened
	}
	one, two := store("one"), store("two")
	call := toolcall.Call{
		ToolCall: wire.ToolCall{
			ID: "k", AgentID: "a", ChatID: "c", MessageID: "m", StreamID: "s", Name: "pay", Kind: wire.ToolHTTP, Status: wire.CallApproved, Arguments: "{}",
		},
		Operator: true, Timeout: 30,
	}
	scope := access.Scope{ProjectID: "p", UserID: "ann"}
	turn := chat.Turn{
		NewChat: &wire.Chat{ChatID: "c", UserID: "ann"}, StreamID: "s", Asked: &chat.Asked{Calls: true},
		Question: wire.Message{ID: "q", ChatID: "c", Role: wire.RoleUser}, Answer: wire.Message{ID: "m", ChatID: "c", Role: wire.RoleAssistant, AgentID: "a"},
	}
	require.NoError(t, one.BeginTurn(t.Context(), scope, turn))
	require.NoError(t, one.ParkTurn(t.Context(), logs.Lease{StreamID: "s", Epoch: 1}, chat.Parking{Calls: []toolcall.Call{call}}))
	running, err := one.Call(t.Context(), "p", "k")
	require.NoError(t, err)
	begun, err := one.Clock(t.Context())
	require.NoError(t, err)
	running.Status, running.Claim, running.Attempts, running.ClaimedAt = wire.CallRunning, "attempt", 1, float64(begun.UnixMicro())/1e6
	require.NoError(t, one.SetCall(t.Context(), running, nil))

	look := func(now func() time.Time) string {
		set, err := tool.NewSet(nil, nil, tool.PageToolsNone)
		require.NoError(t, err)
		other := chat.New(chat.Config{Store: two, Agents: []answering.Agent{{ID: "a", Tools: set}}, Now: now})
		defer other.Close(t.Context())
		require.NoError(t, other.Attend(t.Context()))
		found, err := one.Call(t.Context(), "p", "k")
		require.NoError(t, err)
		return found.Status
	}
	shared, err := clock.NewDatabase(t.Context(), stepped(3*time.Minute), two.Clock, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	require.Equal(t, wire.CallRunning, look(shared.Now))
	require.Equal(t, wire.CallUnknown, look(stepped(3*time.Minute)), "the machine's own clock would lose it")
}

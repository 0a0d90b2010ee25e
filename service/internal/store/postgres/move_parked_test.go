package postgres_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// moved copies all that a SQLite database has, and closes it.
func moved(t *testing.T, from *sqlite.Store, address string) *postgres.Store {
	t.Helper()
	to := openAt(t, address, "one")
	_, err := to.Import(t.Context(), func(take func(string, []string, postgres.Rows) error) error {
		return from.Export(t.Context(), func(table sqlite.Table) error { return take(table.Name, table.Columns, table.Rows) })
	})
	require.NoError(t, err)
	require.NoError(t, from.Close())
	return to
}

// told returns the events of a stream.
func told(t *testing.T, store stream.Store, streamID string) []chat.Event {
	t.Helper()
	events, err := store.Events(t.Context(), streamID, 0, 100)
	require.NoError(t, err)
	return events
}

// An answer that waits in its second round, in a file that a process left in the middle of a
// call, continues in the database that it is moved to.
func TestAParkedAnswerGoesOnWhereItIsMoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	from, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	asked := turn("t")
	asked.Asked = &chat.Asked{Calls: true, PageTools: `{"a":{"description":"b \ufdd0"}}`}
	require.NoError(t, from.BeginTurn(t.Context(), ann, asked))
	require.NoError(t, from.AppendEvents(t.Context(), held("t"), chunk("said")))
	first := callOf("t")
	first.ID, first.Status, first.Result, first.ResultSize = "first", wire.CallDone, "r\x00\ufdd0", 5
	require.NoError(t, from.ParkTurn(t.Context(), held("t"), parkingOf(first)))
	require.NoError(t, from.TakeTurn(t.Context(), next("t")))
	running := callOf("t")
	running.Status, running.RenewedAt = wire.CallRunning, 500
	require.NoError(t, from.ParkTurn(t.Context(), next("t"), parkingOf(running)))
	done := turn("done")
	require.NoError(t, from.BeginTurn(t.Context(), ann, done))
	require.NoError(t, from.EndTurn(t.Context(), held("done"), ended("done"), &chat.End{At: 300, Events: chunk("x")}))
	require.NoError(t, from.Close())

	from, err = sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	ends, err := from.EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Empty(t, ends)
	events := told(t, from, "t-s")
	parked, err := from.Parked(t.Context(), "t-s")
	require.NoError(t, err)
	rounds, calls, err := from.Rounds(t.Context(), "t-s")
	require.NoError(t, err)
	history, err := from.ChatHistory(t.Context(), ann, "t-c")
	require.NoError(t, err)

	address := emptyDatabase(t)
	to := moved(t, from, address)
	require.Equal(t, events, told(t, to, "t-s"))
	got, err := to.Parked(t.Context(), "t-s")
	require.NoError(t, err)
	require.Equal(t, parked, got)
	gotRounds, gotCalls, err := to.Rounds(t.Context(), "t-s")
	require.NoError(t, err)
	require.Equal(t, rounds, gotRounds)
	require.Equal(t, calls, gotCalls)
	gotHistory, err := to.ChatHistory(t.Context(), ann, "t-c")
	require.NoError(t, err)
	require.Equal(t, history, gotHistory)
	due, err := to.DueCalls(t.Context(), 1, 10)
	require.NoError(t, err)
	require.Equal(t, []string{"t-k"}, []string{due[0].ID}, "nobody carries it out any more")
	none, err := openAt(t, address, "two").EndBrokenTurns(t.Context(), chat.End{At: 400})
	require.NoError(t, err)
	require.Empty(t, none)

	settle(t, to, "t")
	last := stream.Lease{StreamID: "t-s", Epoch: 3}
	require.NoError(t, to.TakeTurn(t.Context(), last))
	more := chunk("more")
	require.NoError(t, to.AppendEvents(t.Context(), last, more))
	require.EqualValues(t, len(events)+2, more[0].ID)
	third := callOf("t")
	third.ID = "third"
	require.NoError(t, to.ParkTurn(t.Context(), last, parkingOf(third)))
	require.NoError(t, to.EndTurn(t.Context(), last, ended("t"), &chat.End{At: 400}))
	answer, err := to.Message(t.Context(), ann, "t-c", "t-a")
	require.NoError(t, err)
	require.Len(t, answer.ToolCalls, 3)
	require.Equal(t, []string{"first", "t-k", "third"}, []string{answer.ToolCalls[0].ID, answer.ToolCalls[1].ID, answer.ToolCalls[2].ID})
}

package postgres_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/chat/storetest"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// callOf returns a call that waits for a decision, in the turn with this name.
func callOf(name string) toolcall.Call {
	return toolcall.Call{
		ToolCall: wire.ToolCall{
			ID: name + "-k", AgentID: "agent", ChatID: name + "-c", MessageID: name + "-a", StreamID: name + "-s",
			Name: "tool", Kind: wire.ToolHTTP, Tool: "digest", Approval: wire.ApprovalUser, Arguments: `{}`,
			Status: wire.CallAwaiting, RequestedAt: 110, ExpiresAt: 1000,
		},
		Timeout: 60,
	}
}

func parkingOf(call toolcall.Call) chat.Parking {
	return chat.Parking{
		Round:  toolcall.Round{Text: "said", Calls: []toolcall.MadeCall{{ModelCall: toolcall.ModelCall{ID: "m", Name: "tool", Arguments: `{}`}, CallID: call.ID}}},
		Calls:  []toolcall.Call{call},
		Events: []chat.Event{toolcall.EventOf(call)},
	}
}

// park begins turns and parks each with a call.
func park(t *testing.T, store *postgres.Store, names ...string) {
	t.Helper()
	for _, name := range names {
		one := turn(name)
		one.Asked = &chat.Asked{Calls: true}
		require.NoError(t, store.BeginTurn(t.Context(), ann, one))
		require.NoError(t, store.ParkTurn(t.Context(), held(name), parkingOf(callOf(name))))
	}
}

// settle makes the call of a turn done.
func settle(t *testing.T, store *postgres.Store, name string) {
	t.Helper()
	call, err := store.Call(t.Context(), "project", name+"-k")
	require.NoError(t, err)
	call.Status, call.Result, call.ResultSize, call.FinishedAt = wire.CallDone, "result", 6, 120
	require.NoError(t, store.SetCall(t.Context(), call, nil))
}

func next(name string) stream.Lease { return stream.Lease{StreamID: name + "-s", Epoch: 2} }

func ready(t *testing.T, store *postgres.Store) []string {
	t.Helper()
	ids, err := store.ReadyTurns(t.Context(), 100)
	require.NoError(t, err)
	return ids
}

func TestOneReplicaTakesAnAnswer(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	stores := []*postgres.Store{one, two, openAt(t, address, "three"), openAt(t, address, "four")}
	for round := range 8 {
		name := fmt.Sprint("t", round)
		park(t, one, name)
		settle(t, two, name)
		var won atomic.Int64
		var winner atomic.Pointer[postgres.Store]
		require.NoError(t, atOnce(len(stores), func(i int) error {
			err := stores[i].TakeTurn(t.Context(), next(name))
			if err == nil {
				won.Add(1)
				winner.Store(stores[i])
			}
			if errors.Is(err, chat.ErrNotReady) {
				return nil
			}
			return err
		}))
		require.EqualValues(t, 1, won.Load())
		for _, store := range stores {
			owned, err := store.Owned(t.Context())
			require.NoError(t, err)
			mine := false
			for _, stream := range owned {
				mine = mine || stream.StreamID == name+"-s"
			}
			require.Equal(t, store == winner.Load(), mine)
			again := store.TakeTurn(t.Context(), next(name))
			if mine {
				require.NoError(t, again, "the reply of the first try may have been lost")
				continue
			}
			require.ErrorIs(t, again, chat.ErrNotReady)
		}
	}
}

// A process that parks an answer may not hear that it is stored, and parks it again.
func TestAnAnswerIsParkedOnce(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	park(t, one, "t")
	again := func() {
		parking := parkingOf(callOf("t"))
		require.NoError(t, one.ParkTurn(t.Context(), held("t"), parking))
		require.EqualValues(t, 2, parking.Events[0].ID)
		rounds, calls, err := two.Rounds(t.Context(), "t-s")
		require.NoError(t, err)
		require.Len(t, rounds, 1)
		require.Len(t, calls, 1)
	}
	again()
	require.ErrorIs(t, one.ParkTurn(t.Context(), next("t"), parkingOf(callOf("t"))), stream.ErrTaken)
	settle(t, two, "t")
	again()
	require.NoError(t, two.TakeTurn(t.Context(), next("t")))
	again()
	owned, err := two.Owned(t.Context())
	require.NoError(t, err)
	require.Len(t, owned, 1, "it goes on")
	require.NoError(t, two.EndTurn(t.Context(), next("t"), ended("t"), &chat.End{At: 300, Events: chunk("x")}))
	again()
	require.Equal(t, []string{"start", "tool_call", "tool_call", "chunk"}, types(t, one, "t-s"))
	require.ErrorIs(t, one.ParkTurn(t.Context(), next("t"), parkingOf(callOf("t"))), fault.ErrNotFound)
}

func ended(name string) wire.Message {
	answer := turn(name).Answer
	answer.Content, answer.FinishReason = "x", wire.FinishStop
	return answer
}

func TestNobodyOwnsWhatIsParked(t *testing.T) {
	t.Parallel()
	address, one, two := openTwo(t)
	park(t, one, "t")
	owned, err := one.Owned(t.Context())
	require.NoError(t, err)
	require.Empty(t, owned)
	lapse(t, address, one)
	require.NoError(t, one.Release(t.Context()))
	for _, store := range []*postgres.Store{one, two} {
		none, err := store.EndBrokenTurns(t.Context(), broken, "t-s")
		require.NoError(t, err)
		require.Empty(t, none)
	}
	settle(t, two, "t")
	require.NoError(t, two.TakeTurn(t.Context(), next("t")))
	lapse(t, address, two)
	ends, err := openAt(t, address, "three").EndBrokenTurns(t.Context(), broken)
	require.NoError(t, err)
	require.Equal(t, []string{"t-s"}, ends, "an answer that continues is interrupted when its owner dies")
	require.ErrorIs(t, two.AppendEvents(t.Context(), next("t"), chunk("late")), fault.ErrNotFound)
}

// Another replica may have been asked to stop an answer, while it was written or parked.
func TestAStopReachesAParkedAnswer(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	park(t, one, "waits", "settled", "bystander")
	settle(t, one, "settled")
	require.NoError(t, two.AskToStop(t.Context(), "waits-s"))
	require.NoError(t, two.AskToStop(t.Context(), "settled-s"))
	early := turn("early")
	early.Asked = &chat.Asked{Calls: true}
	require.NoError(t, one.BeginTurn(t.Context(), ann, early))
	require.NoError(t, two.AskToStop(t.Context(), "early-s"))
	require.NoError(t, one.ParkTurn(t.Context(), held("early"), parkingOf(callOf("early"))))

	require.ElementsMatch(t, []string{"waits-s", "settled-s", "early-s"}, ready(t, two))
	require.ErrorIs(t, one.TakeTurn(t.Context(), next("settled")), chat.ErrNotReady, "it will be stopped")
	for _, name := range []string{"waits", "settled", "early"} {
		parked, err := two.Parked(t.Context(), name+"-s")
		require.NoError(t, err)
		require.True(t, parked.StopAsked)
		require.NoError(t, two.EndTurn(t.Context(), parked.Lease, ended(name), &chat.End{At: 300}))
	}
	require.Empty(t, ready(t, two))
	parked, err := two.Parked(t.Context(), "bystander-s")
	require.NoError(t, err)
	require.False(t, parked.StopAsked)
}

func TestParkedAnswersDoNotRun(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	one.Limits.StreamsPerUser, two.Limits.StreamsPerUser = 1, 1
	park(t, one, "t0", "t1", "t2")
	settle(t, one, "t0")
	require.NoError(t, two.TakeTurn(t.Context(), next("t0")))
	settle(t, one, "t1")
	require.NoError(t, two.TakeTurn(t.Context(), next("t1")), "an answer that continues is never refused")
	require.ErrorContains(t, one.BeginTurn(t.Context(), ann, turn("t3")), "answers", "but it counts")
	count, err := one.CountParked(t.Context(), ann)
	require.NoError(t, err)
	require.Equal(t, 1, count)
}

// Deadlocks would be retried, and cost a second each.
func TestCallsMeetNoDeadlock(t *testing.T) {
	t.Parallel()
	address := emptyDatabase(t)
	before := deadlocks(t, address)
	store, err := postgres.Open(t.Context(), postgres.Config{URL: address, Replica: "one"})
	require.NoError(t, err)
	storetest.RaceCalls(t, store)
	require.NoError(t, store.Close()) // its connections report their counts when they end
	require.Equal(t, before, deadlocks(t, address))
}

func deadlocks(t *testing.T, address string) (count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	require.Eventually(t, func() bool {
		var others int
		err = conn.QueryRow(t.Context(), `
			SELECT deadlocks, (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend')
			FROM pg_stat_database WHERE datname = current_database()`).Scan(&count, &others)
		return err == nil && others == 0
	}, 20*time.Second, 5*time.Millisecond)
	require.NoError(t, err)
	return count
}

// A call that the service carries out belongs to a replica, and is lost when that replica's lease
// ends, but not before. A page's call is never lost in this way.
func TestCallsOfADeadReplicaAreDue(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	park(t, one, "t")
	call, err := one.Call(t.Context(), "project", "t-k")
	require.NoError(t, err)
	call.Status, call.ClaimedAt, call.Attempts = wire.CallRunning, 1e12, 1
	require.NoError(t, one.RenewLease(t.Context()))
	require.NoError(t, one.SetCall(t.Context(), call, nil))
	isDue := func() bool {
		_, err := two.EndBrokenTurns(t.Context(), chat.End{At: 300})
		require.NoError(t, err)
		calls, err := two.DueCalls(t.Context(), 300, 10)
		require.NoError(t, err)
		return len(calls) == 1
	}
	require.False(t, isDue())
	require.NoError(t, one.Release(t.Context()))
	require.True(t, isDue())
}

func TestFirstReadings(t *testing.T) {
	t.Parallel()
	_, one, two := openTwo(t)
	storetest.FirstReadings(t, one, two)
}

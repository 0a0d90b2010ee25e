package storetest

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

var toolRules = []rule{
	{"an answer whose round made calls is parked, and shown as such", roundsPark},
	{"an answer continues when its calls are settled, once", parkedGoOn},
	{"a parked answer is not broken", parkedIsNotBroken},
	{"a call changes only with its current version", callsChangeByVersion},
	{"of many changes at once one succeeds", callsAtOnce},
	{"a change of a call takes its key", callsTakeKeys},
	{"calls are due by their state", callsAreDue},
	{"calls are ready in turn", callsAreReadyInTurn},
	{"an answer that is parked is ended with its calls", parkedIsEnded},
	{"a call of an ended answer sends no event", lateCallsAreSilent},
	{"calls are listed newest first, by who may see them", callsAreListed},
	{"a list of calls has the status as of now", callsAsOfNow},
	{"results are whole in a call, and cut in lists and histories", resultsAreCut},
	{"prompts name the calls of earlier answers", promptsNameCalls},
	{"deleting a chat deletes its calls", deletedChatsTakeCalls},
	{"rounds, calls and what was asked for keep any text", callsKeepTexts},
	{"calls that change while their answer is stopped, taken or deleted are reported once", RaceCalls},
}

// tools returns the turn with tools.
func tools(turn chat.Turn) chat.Turn {
	turn.Asked = &chat.Asked{PageTools: `{"a": {"description":"<&b"}}`, Calls: true}
	return turn
}

// callOf is a call of a turn that waits for a decision.
func callOf(turn chat.Turn, id string) toolcall.Call {
	return toolcall.Call{
		ToolCall: wire.ToolCall{
			ID: id, AgentID: "agent", ChatID: turn.Question.ChatID, MessageID: turn.Answer.ID, StreamID: turn.StreamID, At: 3,
			Name: "tool_" + id, Kind: wire.ToolHTTP, Tool: "digest", Approval: wire.ApprovalUser, Arguments: `{"a": 1}`,
			Status: wire.CallAwaiting, RequestedAt: 210, ExpiresAt: 1000,
		},
		Timeout: 60, Idempotent: true, Operator: true,
	}
}

func parkingOf(calls ...toolcall.Call) chat.Parking {
	p := chat.Parking{Calls: calls, Round: toolcall.Round{Text: "said", Details: toolcall.Details{
		Model: "m", Returned: wire.JSON(`{"signature":"\u0000é"}`), Usage: &wire.Usage{InputTokens: 5, OutputTokens: 2}, LeftOut: wire.LeftOut{Images: 1},
	}}}
	for _, call := range calls {
		p.Round.Calls = append(p.Round.Calls, toolcall.MadeCall{ModelCall: toolcall.ModelCall{ID: "p" + call.ID, Name: call.Name,
			Arguments: call.Arguments}, CallID: call.ID})
		p.Events = append(p.Events, toolcall.EventOf(call))
	}
	return p
}

// park begins a turn in a chat of ann and parks it with calls.
func park(t *testing.T, store chat.Store, turn chat.Turn, calls ...toolcall.Call) {
	t.Helper()
	begin(t, store, ann, tools(turn))
	require.NoError(t, store.ParkTurn(t.Context(), held(turn.StreamID), parkingOf(calls...)))
}

func callIn(t *testing.T, store chat.Store, id string) toolcall.Call {
	t.Helper()
	call, err := store.Call(t.Context(), "project", id)
	require.NoError(t, err)
	return call
}

// set changes a call in a store.
func set(t *testing.T, store chat.Store, id string, change func(*toolcall.Call)) toolcall.Call {
	t.Helper()
	call := callIn(t, store, id)
	change(&call)
	require.NoError(t, store.SetCall(t.Context(), call, nil))
	return callIn(t, store, id)
}

func settled(call *toolcall.Call) {
	call.Status, call.Result, call.ResultSize, call.FinishedAt = wire.CallDone, "result", 6, 220
}

func ready(t *testing.T, store chat.Store) []string {
	t.Helper()
	ids, err := store.ReadyTurns(t.Context(), 10)
	require.NoError(t, err)
	return ids
}

func parkedCount(t *testing.T, store chat.Store, scope access.Scope) int {
	t.Helper()
	count, err := store.CountParked(t.Context(), scope)
	require.NoError(t, err)
	all, err := store.CountAllParked(t.Context())
	require.NoError(t, err)
	require.GreaterOrEqual(t, all, count)
	return count
}

func roundsPark(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, tools(turn))
	require.NoError(t, store.AppendEvents(t.Context(), held("t-s"), chunks(2, "said")))
	_, err := store.Parked(t.Context(), "t-s")
	require.ErrorIs(t, err, fault.ErrNotFound, "it is being written")
	call := callOf(turn, "k1")
	require.NoError(t, store.ParkTurn(t.Context(), held("t-s"), parkingOf(call)))

	parked, err := store.Parked(t.Context(), "t-s")
	require.NoError(t, err)
	require.Equal(t, chat.Parked{
		Lease: held("t-s"), Start: wire.Start{StreamID: "t-s", ChatID: "c1", MessageID: "t-a", UserMessageID: "t-q"}, Scope: ann,
		Asked: *tools(turn).Asked, LastID: 3,
	}, parked)
	require.True(t, stored(t, store, "t-s").Parked)
	rounds, calls, err := store.Rounds(t.Context(), "t-s")
	require.NoError(t, err)
	require.Equal(t, []toolcall.Round{parkingOf(call).Round}, rounds)
	call.ProjectID, call.Owner, call.Version = "project", "ann", 1
	require.Equal(t, []toolcall.Call{call}, calls)
	require.Equal(t, call, callIn(t, store, "k1"))
	events, err := store.Events(t.Context(), "t-s", 2, 10)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.Equal(t, wire.EventToolCall, events[0].Type)
	answer := answerOf(t, store, turn)
	require.Equal(t, "said", answer.Content)
	require.Equal(t, []wire.ToolCall{call.ToolCall}, answer.ToolCalls)
	require.Equal(t, 1, parkedCount(t, store, ann))
	require.Zero(t, parkedCount(t, store, bob))
	all, err := store.CountAllParked(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, all)
	require.Error(t, store.ParkTurn(t.Context(), held("gone-s"), parkingOf()))
}

func parkedGoOn(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"), callOf(turn, "k2"))
	next := stream.Lease{StreamID: "t-s", Epoch: 2}
	require.Empty(t, ready(t, store))
	require.ErrorIs(t, store.TakeTurn(t.Context(), next), chat.ErrNotReady)
	set(t, store, "k1", settled)
	require.ErrorIs(t, store.TakeTurn(t.Context(), next), chat.ErrNotReady)
	set(t, store, "k2", settled)
	require.Equal(t, []string{"t-s"}, ready(t, store))
	var taken atomic.Int64
	require.NoError(t, atOnce(8, func(int) error {
		err := store.TakeTurn(t.Context(), stream.Lease{StreamID: "t-s", Epoch: 3})
		if !errors.Is(err, chat.ErrNotReady) {
			return fmt.Errorf("an epoch too far: %w", err)
		}
		return nil
	}))
	require.NoError(t, store.TakeTurn(t.Context(), next))
	taken.Add(1)
	require.Empty(t, ready(t, store))
	require.Zero(t, parkedCount(t, store, ann))
	require.ErrorIs(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "x"), &chat.End{At: 300}), stream.ErrTaken)
	require.NoError(t, store.AppendEvents(t.Context(), next, chunks(6, "more")))
	require.NoError(t, store.ParkTurn(t.Context(), next, parkingOf(callOf(turn, "k3"))))
	set(t, store, "k3", settled)
	last := stream.Lease{StreamID: "t-s", Epoch: 3}
	require.NoError(t, store.TakeTurn(t.Context(), last))
	require.NoError(t, store.EndTurn(t.Context(), last, ended(turn, "more"), &chat.End{At: 300}))
	rounds, calls, err := store.Rounds(t.Context(), "t-s")
	require.NoError(t, err)
	require.Len(t, rounds, 2)
	require.Len(t, calls, 3)
	require.Len(t, answerOf(t, store, turn).ToolCalls, 3)
}

func parkedIsNotBroken(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300}, "t-s")
	require.NoError(t, err)
	require.Empty(t, broken)
	require.Zero(t, stored(t, store, "t-s").EndedAt)
}

func callsChangeByVersion(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	old := callIn(t, store, "k1")
	now := set(t, store, "k1", func(c *toolcall.Call) { c.Status, c.DecidedBy, c.DecidedAt = wire.CallApproved, "ann", 215 })
	require.EqualValues(t, 2, now.Version)
	require.Equal(t, "ann", now.DecidedBy)
	old.Status = wire.CallDenied
	require.ErrorIs(t, store.SetCall(t.Context(), old, nil), toolcall.ErrStale)
	require.Equal(t, now, callIn(t, store, "k1"))
	events, err := store.Events(t.Context(), "t-s", 2, 10)
	require.NoError(t, err)
	require.Len(t, events, 1)
	require.JSONEq(t, string(toolcall.EventOf(now).Data), string(events[0].Data))
	set(t, store, "k1", func(c *toolcall.Call) { c.RenewedAt = 217 })
	require.EqualValues(t, 3, stored(t, store, "t-s").LastID, "the status is the same")
	now.ID = "gone"
	require.ErrorIs(t, store.SetCall(t.Context(), now, nil), fault.ErrNotFound)
	_, err = store.Call(t.Context(), "elsewhere", "k1")
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func callsAtOnce(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	call := callIn(t, store, "k1")
	var held atomic.Int64
	require.NoError(t, atOnce(8, func(i int) error {
		mine := call
		mine.Status, mine.DecidedBy = wire.CallApproved, fmt.Sprint(i)
		err := store.SetCall(t.Context(), mine, nil)
		if err == nil {
			held.Add(1)
		}
		if errors.Is(err, toolcall.ErrStale) {
			return nil
		}
		return err
	}))
	require.EqualValues(t, 1, held.Load())
	require.EqualValues(t, 3, stored(t, store, "t-s").LastID)
}

func callsTakeKeys(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"), callOf(turn, "k2"))
	one, two := callIn(t, store, "k1"), callIn(t, store, "k2")
	one.Status, two.Status = wire.CallDenied, wire.CallDenied
	require.NoError(t, store.SetCall(t.Context(), one, claimOf(ann, "key", "k1")))
	require.Equal(t, "k1", subject(t, store, ann, "key"))
	require.ErrorIs(t, store.SetCall(t.Context(), two, claimOf(ann, "key", "k2")), errTaken)
	require.Equal(t, wire.CallAwaiting, callIn(t, store, "k2").Status)
	require.ErrorIs(t, store.SetCall(t.Context(), one, claimOf(ann, "other", "k1")), toolcall.ErrStale)
	require.Empty(t, subject(t, store, ann, "other"))
}

func due(t *testing.T, store chat.Store, now float64) (ids []string) {
	t.Helper()
	calls, err := store.DueCalls(t.Context(), now, 10)
	require.NoError(t, err)
	for _, call := range calls {
		ids = append(ids, call.ID)
	}
	return ids
}

func callsAreDue(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	waits, page := callOf(turn, "waits"), callOf(turn, "page")
	page.Kind, page.ExpiresAt = wire.ToolPage, 900
	park(t, store, turn, waits, page)
	require.Empty(t, due(t, store, 899))
	require.Equal(t, []string{"page"}, due(t, store, 900))
	require.Equal(t, []string{"page", "waits"}, due(t, store, 1000), "those that have waited longest first")
	set(t, store, "waits", func(c *toolcall.Call) { c.Status = wire.CallApproved })
	require.Empty(t, due(t, store, 300))
	require.Equal(t, []string{"waits"}, begins(t, store, toolcall.Held{}, 10), "the service carries it out at once")
	set(t, store, "waits", func(c *toolcall.Call) { c.Status, c.ClaimedAt = wire.CallRunning, 300 })
	require.Empty(t, begins(t, store, toolcall.Held{}, 10))
	require.Empty(t, due(t, store, 419))
	require.Equal(t, []string{"waits"}, due(t, store, 420), "a minute after its timeout")
	set(t, store, "waits", settled)
	require.Empty(t, due(t, store, 800))
}

func parkedIsEnded(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	call := callIn(t, store, "k1")
	stale := call
	call.Status, call.Reason = wire.CallDenied, wire.ReasonStopped
	set(t, store, "k1", func(c *toolcall.Call) { c.RenewedAt = 1 })
	end := chat.End{At: 300, Calls: []toolcall.Call{call}, Events: []chat.Event{toolcall.EventOf(call), {Type: wire.EventEnd, Data: []byte(`{}`)}}}
	require.ErrorIs(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "x"), &end), toolcall.ErrStale)
	require.Zero(t, stored(t, store, "t-s").EndedAt)
	require.Equal(t, stale.Status, callIn(t, store, "k1").Status)
	call.Version = callIn(t, store, "k1").Version
	end.Calls = []toolcall.Call{call}
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "x"), &end))
	now := stored(t, store, "t-s")
	require.Equal(t, 300.0, now.EndedAt)
	require.False(t, now.Parked)
	require.EqualValues(t, 4, now.LastID)
	require.Equal(t, wire.CallDenied, callIn(t, store, "k1").Status)
	require.True(t, callIn(t, store, "k1").Over)
	require.Zero(t, parkedCount(t, store, ann))
	_, err := store.Parked(t.Context(), "t-s")
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func lateCallsAreSilent(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	set(t, store, "k1", func(c *toolcall.Call) { c.Status = wire.CallRunning })
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "x"), &chat.End{At: 300}))
	last := stored(t, store, "t-s").LastID
	set(t, store, "k1", settled)
	require.Equal(t, last, stored(t, store, "t-s").LastID)
	require.Equal(t, wire.CallDone, answerOf(t, store, turn).ToolCalls[0].Status)
	require.Empty(t, ready(t, store))
}

func resultsAreCut(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	long := strings.Repeat("ä\x00", toolcall.MaxResult/3) // SQLite and PostgreSQL have trouble with U+0000
	set(t, store, "k1", func(c *toolcall.Call) {
		c.Status, c.Result, c.ResultSize, c.Error = wire.CallDone, long, len(long), "e\x00"
	})
	whole := callIn(t, store, "k1")
	require.Equal(t, long, whole.Result)
	require.False(t, whole.Truncated)
	shown := answerOf(t, store, turn).ToolCalls[0]
	require.True(t, shown.Truncated)
	require.LessOrEqual(t, len(shown.Result), toolcall.ShownResult)
	require.Greater(t, len(shown.Result), toolcall.ShownResult-4)
	require.True(t, strings.HasPrefix(long, shown.Result))
	require.Equal(t, len(long), shown.ResultSize)
	_, calls, err := store.Rounds(t.Context(), "t-s")
	require.NoError(t, err)
	require.Equal(t, long, calls[0].Result)
	listed, _, err := store.ListCalls(t.Context(), toolcall.Filter{ProjectID: "project", Limit: 10})
	require.NoError(t, err)
	require.Equal(t, shown, listed[0].Shown())
}

func promptsNameCalls(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	set(t, store, "k1", settled)
	require.NoError(t, store.EndTurn(t.Context(), held("t-s"), ended(turn, "x"), &chat.End{At: 300}))
	messages, err := store.Recent(t.Context(), ann, "c1", "", 1000)
	require.NoError(t, err)
	require.Equal(t, []wire.ToolCall{{Name: "tool_k1", Status: wire.CallDone, Arguments: `{"a": 1}`, Result: "result"}}, messages[1].Calls)
	require.Nil(t, messages[0].Calls)
}

func deletedChatsTakeCalls(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	park(t, store, turn, callOf(turn, "k1"))
	call := callIn(t, store, "k1")
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	for range 2 {
		_, err := store.Call(t.Context(), "project", "k1")
		require.ErrorIs(t, err, fault.ErrNotFound)
		settled(&call)
		require.ErrorIs(t, store.SetCall(t.Context(), call, nil), fault.ErrNotFound)
		require.Empty(t, due(t, store, 2000))
		require.Empty(t, ready(t, store))
		require.Zero(t, parkedCount(t, store, ann))
		listed, _, err := store.ListCalls(t.Context(), toolcall.Filter{ProjectID: "project", Limit: 10})
		require.NoError(t, err)
		require.Empty(t, listed)
		require.ErrorIs(t, store.TakeTurn(t.Context(), stream.Lease{StreamID: "t-s", Epoch: 2}), chat.ErrNotReady)
		require.NoError(t, store.Sweep(t.Context(), 0, 0))
	}
}

func callsKeepTexts(t *testing.T, store chat.Store) {
	for i, test := range append(hostile, struct{ name, text string }{"U+0000 and its mark", "a\x00b\ufdd0c\ufdd00"}) {
		turn := turnInNew(fmt.Sprint("c", i), fmt.Sprint("t", i))
		call := callOf(turn, fmt.Sprint("k", i))
		call.Arguments, call.Name, call.Result, call.Error, call.Reason = test.text, test.text, test.text, test.text, test.text
		call.Status = wire.CallDone
		turn = tools(turn)
		turn.Asked.PageTools = test.text
		begin(t, store, ann, turn)
		parking := parkingOf(call)
		parking.Round.Text = test.text
		require.NoError(t, store.ParkTurn(t.Context(), held(turn.StreamID), parking))
		parked, err := store.Parked(t.Context(), turn.StreamID)
		require.NoError(t, err)
		require.Equal(t, *turn.Asked, parked.Asked, test.name)
		rounds, calls, err := store.Rounds(t.Context(), turn.StreamID)
		require.NoError(t, err)
		require.Equal(t, []toolcall.Round{parking.Round}, rounds, test.name)
		call.ProjectID, call.Owner, call.Version = "project", "ann", 1
		require.Equal(t, []toolcall.Call{call}, calls, test.name)
	}
}

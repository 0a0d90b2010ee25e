package store

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/room"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// CallDialect is what one of the databases says differently of tool calls, rounds and parked answers.
type CallDialect struct {
	// SelectCalls reads the calls of chats that are seen, and at most $1 bytes of each result. The queries after it begin so
	// too.
	SelectCalls, CallsOfStream, CallsOfMessages string
	// ReadyCalls are the calls that can begin. Its parameters are ReadyArgs, and last how many.
	ReadyCalls string
	ReadyArgs  func(toolcall.Held) []any
	// NamesOfCalls are the message, the name and the status of the calls of messages, $1.
	NamesOfCalls string
	// OnPaths are those of some messages, $1, that are on the paths of their chats.
	OnPaths string
	// UpdateCall may have parameters that SetCall gets.
	StatusOfCall, UpdateCall string

	RoundsOfStream, ReadyTurns, CountParked, CountAllParked string
}

// SettleOne says that a stream waits for one call less.
const SettleOne = `UPDATE streams SET waits_for = waits_for - 1 WHERE id = $1`

type callQueries struct{ CallByID, DueCalls string }

func callQueriesOf(d Dialect) callQueries {
	return callQueries{
		CallByID: d.SelectCalls + ` WHERE tool_calls.id = $2 AND tool_calls.project_id = $3`,
		DueCalls: d.SelectCalls + ` WHERE due_at > 0 AND due_at <= $2 ORDER BY due_at LIMIT $3`,
	}
}

// wholeResult is more bytes than any result has.
const wholeResult = math.MaxInt32

type scannedCall struct {
	toolcall.Call
	position int64
}

func scanCall(row Row) (one scannedCall, err error) {
	var projectID, owner, text string
	var result []byte
	var version int64
	var over bool
	if err = row.Scan(&one.position, &projectID, &owner, &version, &text, &result, &over); err == nil {
		err = json.Unmarshal([]byte(text), &one.Call)
	}
	one.ProjectID, one.Owner, one.Version, one.Over, one.Result = projectID, owner, version, over, string(result)
	return one, err
}

// readCalls reads calls. The first of args is how many bytes of their results.
func readCalls(ctx context.Context, in Session, query string, args ...any) ([]scannedCall, error) {
	return Collect(ctx, in, room.Each(ctx, scanCall, func(one scannedCall) int64 { return one.Bytes() }), query, args...)
}

func callsOf(scanned []scannedCall) []toolcall.Call {
	calls := make([]toolcall.Call, len(scanned))
	for i, one := range scanned {
		calls[i] = one.Call
	}
	return calls
}

// Call implements chat.Calls.
func (t *Tables) Call(ctx context.Context, projectID, callID string) (toolcall.Call, error) {
	calls, err := readCalls(ctx, t.db.Now(), t.q.CallByID, wholeResult, callID, projectID)
	if err == nil && len(calls) == 0 {
		err = fault.ErrNotFound
	}
	if err != nil {
		return toolcall.Call{}, t.db.Failed("read", "a call", err)
	}
	return calls[0].Call, nil
}

// DueCalls implements chat.Calls.
func (t *Tables) DueCalls(ctx context.Context, now float64, limit int) ([]toolcall.Call, error) {
	calls, err := readCalls(ctx, t.db.Now(), t.q.DueCalls, 0, now, limit)
	return callsOf(calls), t.db.Failed("find", "the calls that are due", err)
}

// ReadyCalls implements chat.Calls.
func (t *Tables) ReadyCalls(ctx context.Context, held toolcall.Held, limit int) ([]toolcall.Call, error) {
	args := append([]any{0}, t.q.ReadyArgs(held)...)
	calls, err := readCalls(ctx, t.db.Now(), t.q.ReadyCalls, append(args, limit)...)
	return callsOf(calls), t.db.Failed("find", "the calls that can begin", err)
}

// SetCall changes a call of a locked stream, and reports whether its status has changed. more are further parameters of
// UpdateCall.
func (q *Queries) SetCall(ctx context.Context, tx Session, call toolcall.Call, more ...any) (changed bool, err error) {
	var before string
	var version int64
	if err := OrNotFound(tx.Row(ctx, q.StatusOfCall, call.ID).Scan(&before, &version)); err != nil {
		return false, err
	}
	if version != call.Version {
		return false, toolcall.ErrStale
	}
	text, due, err := columnsOf(call)
	if err == nil {
		_, err = tx.Exec(ctx, q.UpdateCall, append([]any{call.ID, call.Status, call.Attempts, due, text, []byte(call.Result)}, more...)...)
	}
	if err == nil && call.IsSettled() && !toolcall.IsSettled(before) {
		_, err = tx.Exec(ctx, SettleOne, call.StreamID)
	}
	return before != call.Status, err
}

// columnsOf returns the JSON of a call without its result, and when it is due.
func columnsOf(call toolcall.Call) (text string, due *float64, err error) {
	if at, ever := call.Due(); ever {
		due = &at
	}
	call.Result, call.Hidden = "", false
	all, err := json.Marshal(call)
	return string(all), due, err
}

// RowOf returns the parameters with which a Store inserts a call.
func RowOf(call toolcall.Call) ([]any, error) {
	text, due, err := columnsOf(call)
	return []any{call.ID, call.StreamID, call.MessageID, call.ChatID, call.AgentID, call.Name, call.Approval, call.Kind,
		call.Status, call.Attempts, due, text, []byte(call.Result)}, err
}

// fillCalls adds the calls of answers to them.
func (t *Tables) fillCalls(ctx context.Context, tx Session, messages []wire.Message) error {
	at := map[string]*wire.Message{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	calls, err := readCalls(ctx, tx, t.q.CallsOfMessages, toolcall.ShownResult+1, slices.Collect(maps.Keys(at)))
	for _, call := range calls {
		answer := at[call.MessageID]
		answer.ToolCalls = append(answer.ToolCalls, call.Shown())
	}
	return err
}

// nameCalls adds the names and states of the calls of answers to them.
func (t *Tables) nameCalls(ctx context.Context, tx Session, messages []answering.PromptMessage) error {
	at := map[string]*answering.PromptMessage{}
	for i := range messages {
		if messages[i].Role == wire.RoleAssistant {
			at[messages[i].ID] = &messages[i]
		}
	}
	return tx.Each(ctx, func(row Row) (bool, error) {
		var id string
		var call, short wire.ToolCall
		var result []byte
		err := row.Scan(&id, &call.Name, &call.Status, JSON(&short), &result)
		if err == nil {
			call.Arguments, call.Result = short.Arguments, strings.ToValidUTF8(string(result), "")
			at[id].Calls = append(at[id].Calls, call)
		}
		return true, err
	}, t.q.NamesOfCalls, slices.Collect(maps.Keys(at)))
}

func scanRound(row Row) (round toolcall.Round, err error) {
	var calls string // as a string, PostgreSQL's session restores it
	if err = row.Scan(&round.Text, &calls, JSON(&round.Details)); err == nil {
		err = json.Unmarshal([]byte(calls), &round.Calls)
	}
	return round, err
}

// Rounds implements chat.Calls.
func (t *Tables) Rounds(ctx context.Context, streamID string) (rounds []toolcall.Round, calls []toolcall.Call, err error) {
	err = t.db.Read(ctx, func(ctx context.Context, tx Session) error {
		if rounds, err = Collect(ctx, tx, scanRound, t.q.RoundsOfStream, streamID); err != nil {
			return err
		}
		found, err := readCalls(ctx, tx, t.q.CallsOfStream, wholeResult, streamID)
		calls = callsOf(found)
		return err
	})
	return rounds, calls, t.db.Failed("read the rounds of", "a stream", err)
}

// ReadyTurns implements chat.Calls.
func (t *Tables) ReadyTurns(ctx context.Context, limit int) ([]string, error) {
	ids, err := Collect(ctx, t.db.Now(), ScanText, t.q.ReadyTurns, limit)
	return ids, t.db.Failed("find", "the answers that can go on", err)
}

// CountParked implements chat.Calls.
func (t *Tables) CountParked(ctx context.Context, scope access.Scope) (count int, err error) {
	err = t.db.Now().Row(ctx, t.q.CountParked, scope.ProjectID, scope.UserID).Scan(&count)
	return count, t.db.Failed("count", "parked streams", err)
}

// CountAllParked implements chat.Calls.
func (t *Tables) CountAllParked(ctx context.Context) (count int, err error) {
	err = t.db.Now().Row(ctx, t.q.CountAllParked).Scan(&count)
	return count, t.db.Failed("count", "all parked streams", err)
}

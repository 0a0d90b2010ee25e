package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// callsTurn is the turn whose answer makes calls.
const callsTurn = 1

// parkCalls makes all calls that an answer may make in one round, in a separate chat.
func (w writerBench) parkCalls(ctx context.Context) error {
	turn := w.turn(callsTurn)
	turn.NewChat, turn.Asked = &wire.Chat{ChatID: "chat", Name: "N"}, &chat.Asked{Calls: true}
	if err := w.store.BeginTurn(ctx, writerScope, turn); err != nil {
		return err
	}
	arguments := `{"a":"` + strings.Repeat("x", w.scale.argumentBytes) + `"}`
	var parking chat.Parking
	for n := range w.scale.calls {
		call := toolcall.Call{ToolCall: wire.ToolCall{
			ID: fmt.Sprint("call", n), ChatID: "chat", MessageID: turn.Answer.ID, StreamID: turn.StreamID, Name: "tool", Kind: wire.ToolHTTP,
			Approval: wire.ApprovalUser, Arguments: arguments, Status: wire.CallRunning,
		}}
		parking.Calls = append(parking.Calls, call)
		parking.Events = append(parking.Events, toolcall.EventOf(call))
		made := toolcall.ModelCall{ID: call.ID, Name: call.Name, Arguments: arguments}
		parking.Round.Calls = append(parking.Round.Calls, toolcall.MadeCall{ModelCall: made, CallID: call.ID})
	}
	return w.store.ParkTurn(ctx, stream.Lease{StreamID: turn.StreamID, Epoch: 1}, parking)
}

// settleCalls gives each call its result.
func (w writerBench) settleCalls(ctx context.Context) error {
	result := strings.Repeat("x", w.scale.resultBytes)
	for n := range w.scale.calls {
		call, err := w.store.Call(ctx, writerScope.ProjectID, fmt.Sprint("call", n))
		if err != nil {
			return err
		}
		call.Status, call.Result, call.ResultSize = wire.CallDone, result, len(result)
		if err := w.store.SetCall(ctx, call, nil); err != nil {
			return err
		}
	}
	return nil
}

// endCalls ends their answer, and deletes it with its chat.
func (w writerBench) endCalls(ctx context.Context) error {
	turn := w.turn(callsTurn)
	lease := stream.Lease{StreamID: turn.StreamID, Epoch: 1}
	if err := w.store.EndTurn(ctx, lease, turn.Answer, &chat.End{At: 1}); err != nil {
		return err
	}
	return w.deleteChat(ctx)
}

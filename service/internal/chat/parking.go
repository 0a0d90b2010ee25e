package chat

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// maxMisfits is how many invalid calls a model may make before it gets its last round.
const maxMisfits = 3

// isLast reports whether the next round is the last one, in which the model may not call anything.
func (s *Service) isLast(past []answering.PastRound) bool {
	calls, misfits := 0, 0
	for _, round := range past {
		calls += len(round.Calls)
		for _, call := range round.Calls {
			if call.Misfit != "" {
				misfits++
			}
		}
	}
	return misfits >= maxMisfits || calls >= s.config.Limits.toolCalls()
}

// DefaultToolCalls is how many calls an answer may make if Limits sets no number.
const DefaultToolCalls = 25

func (l Limits) toolCalls() int {
	if l.ToolCalls == 0 {
		return DefaultToolCalls
	}
	return l.ToolCalls
}

// parking makes calls of what the model wants to call in a round.
func (s *Service) parking(t *turn) Parking {
	p := Parking{Events: t.sourced(), Round: toolcall.Round{Text: t.Said.String(), Details: toolcall.Details{
		Model: cmp.Or(t.Answered, t.Model), Returned: t.Returned, Usage: t.Spent, LeftOut: t.LeftOut,
	}}}
	before := 0
	for _, round := range t.Rounds {
		before += len(round.Calls)
	}
	at := len(utf16.Encode([]rune(t.Text.String())))
	for i, wanted := range t.Calls {
		made := toolcall.MadeCall{ModelCall: wanted}
		if limit := s.config.Limits.toolCalls(); before+i >= limit {
			made.Misfit = fmt.Sprintf("not made: an answer makes %d calls at most", limit)
		} else if call, err := s.newCall(t, wanted); err != nil {
			made.Misfit = err.Error()
		} else {
			call.At = at
			made.CallID = call.ID
			p.Calls = append(p.Calls, call)
			p.Events = append(p.Events, toolcall.EventOf(call))
		}
		p.Round.Calls = append(p.Round.Calls, made)
	}
	return p
}

// misfit is why no call was made of what a model wants. The model gets this text.
type misfit string

func (m misfit) Error() string { return string(m) }

// newCall makes the call that a model wants.
func (s *Service) newCall(t *turn, wanted toolcall.ModelCall) (toolcall.Call, error) {
	one := t.Tool(wanted.Name)
	if one == nil {
		return toolcall.Call{}, misfit("not made: there is no tool of this name")
	}
	arguments, err := one.Mend(wanted.Arguments)
	if err != nil {
		return toolcall.Call{}, misfit("not made: " + fault.Of(err).Message)
	}
	now := s.now()
	call := toolcall.Call{
		ToolCall: wire.ToolCall{
			ID: ids.New("call"), AgentID: t.Agent.ID, ChatID: t.Question.ChatID, MessageID: t.answer.ID, StreamID: t.streamID,
			Name: one.Name, Kind: one.Kind, Tool: one.Digest(), Approval: one.Approval, Description: one.Description,
			Arguments: arguments, Status: wire.CallAwaiting, RequestedAt: now, ExpiresAt: now + s.config.ApprovalLifetime.Seconds(),
		},
		Operator: one.Kind != wire.ToolPage || one.Declared(), Idempotent: one.Idempotent, Timeout: one.Timeout.Seconds(),
	}
	if arguments != wanted.Arguments {
		call.ModelArguments = strings.ToValidUTF8(wanted.Arguments, "\uFFFD")
	}
	switch {
	case one.Approval == wire.ApprovalNever:
		call.Approve("", now, s.config.ApprovalLifetime)
		call.DecidedAt = 0
	case !t.offered.Calls:
		call.Deny("", wire.ReasonClient, now)
	}
	return call, nil
}

// park ends a round that made calls. The answer continues when they are settled.
func (s *Service) park(t *turn) error {
	parking := s.parking(t)
	ctx := context.WithoutCancel(t.ctx)
	err := t.log.Store(ctx, &parking.Events, func() error { return s.config.Store.ParkTurn(ctx, t.log.Lease(), parking) })
	if err == nil {
		s.calls.Count(parking.Calls...) // some are denied at once
	}
	return err
}

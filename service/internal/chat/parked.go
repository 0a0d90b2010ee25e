package chat

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// An answer whose round made calls is parked: no process writes it until the calls are settled.
// Then any process may continue it.

// asks returns what the answer was requested with, nil if the model may not call anything.
func (a asking) asks() *Asked {
	if len(a.Tools) == 0 {
		return nil
	}
	return &Asked{PageTools: string(a.offered.PageTools), Calls: a.offered.Calls, Reasoning: a.offered.Reasoning}
}

// mayPark refuses an answer that could wait for calls while as many as allowed are waiting.
func (s *Service) mayPark(ctx context.Context, a asking) error {
	if len(a.Tools) == 0 {
		return nil
	}
	count, err := s.config.Store.CountParked(ctx, a.scope)
	if err == nil && count >= MaxParked {
		err = TooManyParked()
	}
	return err
}

// isParked is called when an answer was parked: it stops the answer if that was
// requested meanwhile.
func (s *Service) isParked(t *turn) {
	s.parked.keep(t.streamID, t.Found)
	if context.Cause(t.ctx) == stream.ErrStopped {
		if _, err := s.stopParked(context.WithoutCancel(t.ctx), t.streamID); err != nil {
			s.config.Log.Error("an answer that waits for calls is not stopped yet", "request_id", t.requestID, "error", err)
		}
	}
	s.logs.Changed(t.streamID)
	s.calls.Wake()
}

// parkedTurn makes the turn of a parked answer, without its basis.
func (s *Service) parkedTurn(ctx context.Context, p Parked) (*turn, []toolcall.Call, error) {
	project := access.Scope{ProjectID: p.Scope.ProjectID}
	question, err := s.config.Store.Message(ctx, project, p.Start.ChatID, p.Start.UserMessageID)
	if err != nil {
		return nil, nil, err
	}
	answer, err := s.config.Store.Begun(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	said, err := s.saidOf(ctx, p.Start.StreamID)
	if err != nil {
		return nil, nil, err
	}
	rounds, calls, err := s.config.Store.Rounds(ctx, p.Start.StreamID)
	if err != nil {
		return nil, nil, err
	}
	t := &turn{streamID: p.Start.StreamID, answer: answer, ctx: ctx, release: func() {}}
	t.Draft = answering.Draft{Chunks: said.Chunks, Sources: said.Sources, Images: said.Images, Rounds: answering.PastRounds(rounds, calls),
		Most: s.config.Limits.AnswerBytes}
	t.scope, t.Question, t.again = p.Scope, question, true
	t.offered = Offer{PageTools: wire.JSON(p.Asked.PageTools), Calls: p.Asked.Calls, Reasoning: p.Asked.Reasoning}
	t.answer.Sources, t.answer.Siblings, t.answer.ToolCalls = said.Sources, nil, shown(calls)
	t.Text.WriteString(said.Text())
	t.Before = t.Text.Len()
	t.Thought.WriteString(said.Reasoning())
	t.ThoughtBefore = t.Thought.Len()
	t.Usage = toolcall.Usage(rounds)
	if len(rounds) > 0 {
		t.Answered = rounds[len(rounds)-1].Model
	}
	t.IsLast = s.isLast(t.Rounds)
	return t, calls, nil
}

func shown(calls []toolcall.Call) (all []wire.ToolCall) {
	for _, call := range calls {
		all = append(all, call.Shown())
	}
	return all
}

// saidOf returns what readers of an open stream have received so far.
func (s *Service) saidOf(ctx context.Context, streamID string) (*Said, error) {
	said := &Said{}
	for after := int64(0); ; {
		events, err := s.config.Store.Events(ctx, streamID, after, stream.BatchEvents)
		if err == io.EOF || err == nil && len(events) == 0 {
			return said, nil
		}
		if err != nil {
			return nil, err
		}
		for _, event := range events {
			if err := said.Add(event.Type, event.Data); err != nil {
				return nil, err
			}
			after = event.ID
		}
	}
}

// goOn begins the next round of an answer whose calls are settled, unless somebody else does.
func (s *Service) goOn(ctx context.Context, streamID string) error {
	p, err := s.config.Store.Parked(ctx, streamID)
	if err == nil && p.StopAsked {
		_, err = s.stopParked(ctx, streamID)
		return err
	}
	if err == nil {
		err = s.tryGoOn(ctx, p)
	}
	if errors.Is(err, fault.ErrNotFound) || errors.Is(err, ErrNotReady) {
		return nil // it was stopped or deleted, or another process continues it
	}
	return err
}

func (s *Service) tryGoOn(ctx context.Context, p Parked) error {
	t, calls, err := s.parkedTurn(ctx, p)
	if err != nil {
		return err
	}
	// Another process may have continued the answer, which may wait again. Then the state of a
	// call that was read before is not its outcome.
	if slices.ContainsFunc(calls, func(call toolcall.Call) bool { return !call.IsSettled() }) {
		return ErrNotReady
	}
	if err := s.findBasis(ctx, t); err != nil {
		return err
	}
	return s.takeTurn(ctx, t, p)
}

// findBasis reads what the next round needs. If this shows that the round cannot be asked, the
// answer ends when its round begins.
func (s *Service) findBasis(ctx context.Context, t *turn) error {
	err := s.tryFindBasis(ctx, t)
	if fault.IsUnavailable(err) || ctx.Err() != nil {
		return err
	}
	t.broken = err
	return nil
}

func (s *Service) tryFindBasis(ctx context.Context, t *turn) error {
	at := slices.IndexFunc(s.config.Agents, func(a answering.Agent) bool { return a.ID == t.answer.AgentID })
	if at < 0 {
		return errNoAgent
	}
	t.Agent, t.Model = s.config.Agents[at], t.answer.ModelName
	t.Abilities = s.config.Abilities(t.Agent, t.Model)
	options, err := s.optionsOf(ctx, t.Question.ID, t.answer)
	if err != nil {
		return err
	}
	t.Options = options
	t.forgetWhatFitsNowhere()
	a := asking{t.Basis, t.request}
	a.NoHistory, a.User = options.IgnoreChatHistory, a.scope.UserID
	if err := a.offer(s.shelf, t.offered); err != nil {
		return err
	}
	if a, err = s.basisOf(ctx, a); err != nil {
		return err
	}
	t.Basis, t.request = a.Basis, a.request
	for _, id := range t.memoryIDs {
		if !slices.Contains(t.answer.MemoryIDs, id) {
			t.answer.MemoryIDs = append(t.answer.MemoryIDs, id)
		}
	}
	return nil
}

// forgetWhatFitsNowhere keeps no more of the results than the window can hold.
func (t *turn) forgetWhatFitsNowhere() {
	for _, round := range t.Rounds {
		for _, call := range round.Calls {
			if call.Call != nil {
				call.Call.Result = strings.Clone(toolcall.Cut(call.Call.Result, answering.MostBytesOf(t.Agent.Tokens())))
			}
		}
	}
}

// errNoAgent ends an answer whose agent no longer exists.
var errNoAgent = &fault.Error{Code: wire.CodeProviderFailed, Message: "The agent that began the answer no longer exists"}

// takeTurn stores that the next round has begun, and begins it.
func (s *Service) takeTurn(ctx context.Context, t *turn, p Parked) error {
	lease := stream.Lease{StreamID: t.streamID, Epoch: p.Lease.Epoch + 1}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	t.log = s.logs.Write(context.WithoutCancel(ctx), lease, t.Question.ChatID)
	t.log.From(p.LastID)
	t.ctx = t.log.Context()
	s.turns.Add(1)
	s.mu.Unlock()
	err := s.logs.Patiently(ctx, func() error { return s.config.Store.TakeTurn(ctx, lease) })
	if err != nil {
		t.log.Close()
		s.turns.Done()
		return err
	}
	s.running.Add(1)
	leave := s.quota.join(t.scope)
	t.release = sync.OnceFunc(func() {
		s.running.Add(-1)
		leave()
	})
	t.Found = s.parked.found(t.streamID)
	go s.run(t)
	return nil
}

// stopParked ends a parked answer with the text it has, and reports whether it did. If it did not,
// the answer is not parked.
func (s *Service) stopParked(ctx context.Context, streamID string) (stopped bool, err error) {
	for {
		p, err := s.config.Store.Parked(ctx, streamID)
		if errors.Is(err, fault.ErrNotFound) {
			return false, nil
		}
		if err == nil {
			err = s.endParked(ctx, p)
		}
		if !errors.Is(err, toolcall.ErrStale) && !isOver(err) {
			return err == nil, err
		}
	}
}

func (s *Service) endParked(ctx context.Context, p Parked) error {
	t, calls, err := s.parkedTurn(ctx, p)
	if err != nil {
		return err
	}
	var left []toolcall.Call // also running ones: if one changes now, EndTurn fails, so that complete is right
	var events []Event
	for i := range calls {
		before := calls[i].Status
		calls[i] = calls[i].AsOf(s.now()) // an expired call must not be denied
		if calls[i].Stop(s.now()); calls[i].Status != before {
			events = append(events, toolcall.EventOf(calls[i]))
		}
		if !toolcall.IsSettled(before) {
			left = append(left, calls[i])
		}
	}
	t.answer.ToolCalls = shown(calls)
	t.Finish = wire.FinishStopped
	t.seal(t.Finish)
	end := s.whole(t)
	end.Calls, end.Events = left, slices.Insert(end.Events, 1, events...)
	err = s.logs.Store(ctx, t.streamID, p.LastID, &end.Events, func() error { return s.config.Store.EndTurn(ctx, p.Lease, t.answer, &end) })
	if err != nil {
		return err
	}
	s.parked.found(t.streamID)
	s.calls.Count(left...)
	s.tellOthers(t, nil)
	s.logs.Changed(t.streamID)
	return nil
}

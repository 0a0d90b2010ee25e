package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// answerOnce gives the stream of an earlier request with this key, and else makes a
// new one, while other requests with the key wait.
func (s *Service) answerOnce(ctx context.Context, caller access.Caller, request once.Request, begin func() (*Stream, error)) (*Stream, error) {
	leave, err := s.gate.Enter(ctx, once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: request.Key})
	if err != nil {
		return nil, err
	}
	defer leave()
	for {
		stream, err := s.repeat(ctx, caller, request)
		if stream != nil || err != nil {
			return stream, err
		}
		stream, err = begin()
		switch {
		case errors.Is(err, once.ErrTaken): // by a request to another replica
		case err != nil && request.Key != "" && !fault.IsUnavailable(err):
			// Another replica may have served a request with this key meanwhile, which is why
			// this one is refused.
			same, failed := s.repeat(ctx, caller, request)
			if same != nil || failed != nil { // whether it was refused is not known then
				return same, failed
			}
			return nil, err
		default:
			return stream, err
		}
	}
}

// repeat gives the stream that a key was taken for, nil if the key is free.
func (s *Service) repeat(ctx context.Context, caller access.Caller, request once.Request) (*Stream, error) {
	claim, found, err := request.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return nil, err
	}
	stored, err := s.config.Store.Stream(ctx, caller.Scope, claim.Subject)
	if err != nil {
		return nil, err
	}
	stream := &Stream{Replayed: true, service: s, projectID: caller.ProjectID, start: stored.Start}
	if s.isGone(stored) {
		stream.start.StreamID, err = s.retell(ctx, stored)
	}
	switch {
	case errors.Is(err, once.ErrTaken): // a repeat of a request with another key did it
		return s.repeat(ctx, caller, request)
	case err != nil:
		return nil, err
	}
	return stream, nil
}

// retell makes a stream again of what is stored of an answer, and gives its id.
func (s *Service) retell(ctx context.Context, old StoredStream) (streamID string, err error) {
	start, answer := old.Start, old.Answer
	start.StreamID = newID("stream")
	answer.Feedback = nil // it came later
	events := []Event{eventOf(wire.EventStart, start)}
	chunks := 0
	if answer.Content != "" {
		events = append(events, eventOf(wire.EventChunk, wire.Text{Text: answer.Content}))
		chunks = 1
	}
	for _, call := range answer.ToolCalls {
		events = append(events, eventOf(wire.EventToolCall, call))
	}
	last := eventOf(wire.EventComplete, proof(answer, chunks))
	if old.Error != nil {
		last = eventOf(wire.EventError, old.Error)
	}
	end := End{At: s.now(), Error: old.Error, Events: stream.Number(0, append(events, last, eventOf(wire.EventEnd, struct{}{})))}
	return start.StreamID, s.config.Store.Retell(ctx, old.Start.StreamID, start.StreamID, end)
}

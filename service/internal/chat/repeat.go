package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// once gives the stream of an earlier request with this key, and else makes a
// new one, while other requests with the key wait.
func (s *Service) once(ctx context.Context, caller Caller, request once.Request, begin func() (*Stream, error)) (*Stream, error) {
	leave, err := s.gate.Enter(ctx, once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: request.Key})
	if err != nil {
		return nil, err
	}
	defer leave()
	stream, err := s.repeat(ctx, caller, request)
	if stream != nil || err != nil {
		return stream, err
	}
	stream, err = begin()
	if errors.Is(err, once.ErrTaken) {
		return s.repeat(ctx, caller, request)
	}
	return stream, err
}

// repeat gives the stream that a key was taken for, nil where the key is free.
func (s *Service) repeat(ctx context.Context, caller Caller, request once.Request) (*Stream, error) {
	claim, found, err := request.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return nil, err
	}
	stream, err := s.open(ctx, caller.Scope, claim.Subject)
	if err != nil {
		return nil, err
	}
	if s.isGone(stream) {
		stream, err = s.retell(ctx, stream.kept)
	}
	switch {
	case errors.Is(err, once.ErrTaken): // a repeat of a request with another key did it
		return s.repeat(ctx, caller, request)
	case err != nil:
		return nil, err
	}
	stream.Replayed = true
	return stream, nil
}

// retell makes a stream anew of what is stored of an answer.
func (s *Service) retell(ctx context.Context, old Kept) (*Stream, error) {
	kept := old
	kept.Start.StreamID = newID("stream")
	kept.Answer.Feedback = nil // it came later
	kept.EndedAt = s.now()
	var again numbered
	again.add(wire.EventStart, kept.Start)
	chunks := 0
	if kept.Answer.Content != "" {
		again.add(wire.EventChunk, wire.Text{Text: kept.Answer.Content})
		chunks = 1
	}
	if kept.Error != nil {
		again.add(wire.EventError, kept.Error)
	} else {
		again.add(wire.EventComplete, proof(kept.Answer, chunks))
	}
	again.add(wire.EventEnd, struct{}{})
	kept.LastID = again.last
	end := End{At: kept.EndedAt, Error: kept.Error, Events: again.events}
	err := s.config.Store.Retell(ctx, old.Start.StreamID, kept.Start.StreamID, end)
	return &Stream{store: s.config.Store, kept: kept}, err
}

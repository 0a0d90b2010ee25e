package chat

import (
	"context"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// answerOnce returns the stream of an earlier request with this key, or makes a new one while
// other requests with the key wait.
func (a *Admission) answerOnce(ctx context.Context, request once.Request, begin func() (*Stream, error)) (*Stream, error) {
	s := a.service
	var end func()
	err := s.briefly(ctx, func(ctx context.Context) (err error) {
		end, err = a.arrival.begin(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	defer end()
	for {
		stream, err := s.repeat(ctx, a.caller, request)
		if stream != nil || err != nil {
			return stream, err
		}
		stream, err = begin()
		switch {
		case errors.Is(err, once.ErrTaken): // a request to another replica took it
		case err != nil && request.Key != "" && !fault.IsUnavailable(err):
			// Another replica may have served a request with this key meanwhile, and this one may
			// be refused for that reason.
			same, failed := s.repeat(ctx, a.caller, request)
			if same != nil || failed != nil { // if the repeat cannot be read, nobody knows why this one was refused
				return same, failed
			}
			return nil, err
		default:
			return stream, err
		}
	}
}

// repeat returns the stream of the earlier request that took the key, nil if the key is free.
func (s *Service) repeat(ctx context.Context, caller access.Caller, request once.Request) (*Stream, error) {
	used, found, err := request.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return nil, err
	}
	stored, err := s.config.Store.StreamHead(ctx, caller.Scope, used.Subject)
	if err != nil {
		return nil, err
	}
	stream := &Stream{Replayed: true, service: s, projectID: caller.ProjectID, start: stored.Start, last: stored.LastID}
	if s.isGone(stored) {
		stream.start.StreamID, err = s.retell(ctx, caller.Scope, used.Subject)
	}
	switch {
	case errors.Is(err, once.ErrTaken): // another repeat has already made the stream
		return s.repeat(ctx, caller, request)
	case err != nil:
		return nil, err
	}
	return stream, nil
}

// retell makes a stream again from the stored answer, and returns its id.
func (s *Service) retell(ctx context.Context, scope access.Scope, oldID string) (streamID string, err error) {
	old, err := s.config.Store.Stream(ctx, scope, oldID)
	if err != nil {
		return "", err
	}
	start, answer := old.Start, old.Answer
	start.StreamID = ids.New("stream")
	answer.Feedback = nil // it was given after the stream
	events := []Event{stream.EventOf(wire.EventStart, start)}
	if answer.Reasoning != "" {
		events = append(events, stream.EventOf(wire.EventReasoning, wire.Text{Text: answer.Reasoning}))
	}
	chunks := 0
	if answer.Content != "" {
		events = append(events, stream.EventOf(wire.EventChunk, wire.Text{Text: answer.Content}))
		chunks = 1
	}
	if len(answer.ImageURLs) > 0 {
		events = append(events, stream.Images(answer.ImageURLs))
	}
	for _, call := range answer.ToolCalls {
		events = append(events, stream.EventOf(wire.EventToolCall, call))
	}
	last := stream.EventOf(wire.EventComplete, proof(answer, chunks))
	if old.Error != nil {
		last = stream.EventOf(wire.EventError, old.Error)
	}
	end := End{At: s.now(), Error: old.Error, Events: stream.Number(0, append(events, last, stream.EventOf(wire.EventEnd, struct{}{})))}
	return start.StreamID, s.config.Store.Retell(ctx, old.Start.StreamID, start.StreamID, end)
}

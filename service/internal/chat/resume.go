package chat

import (
	"context"
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// DefaultRetention is how long the events of a stream are kept after its end.
const DefaultRetention = 10 * time.Minute

// Resume gives a stream again, from the event behind the one with the id after:
// 0 is from the first one. It is for whom the chat belongs to, and an API key
// that acts for nobody; for others there is no such stream.
func (s *Service) Resume(ctx context.Context, caller Caller, streamID string, after int64) (*Stream, error) {
	stream, err := s.open(ctx, caller.Scope, streamID)
	if err != nil {
		return nil, err
	}
	if s.isGone(stream) {
		return nil, errGone
	}
	if last := stream.lastID(); after < 0 || after > last {
		return nil, &Error{
			Code: wire.CodeValidation, Message: fmt.Sprintf("Last-Event-ID must be from 0 to %d, the last event so far", last),
			Fields: []string{"last-event-id"},
		}
	}
	stream.after = after
	return stream, nil
}

var errGone = &Error{Code: wire.CodeStreamGone, Message: "The events of this stream are no longer kept; read the message from the history"}

// open finds a stream, whether it is being written or has ended.
func (s *Service) open(ctx context.Context, scope Scope, streamID string) (*Stream, error) {
	// First: a stream is among the running ones until its end is stored, so that
	// one that isn't among them has ended by the time that the Store is asked.
	running := s.find(streamID)
	kept, err := s.config.Store.Stream(ctx, scope, streamID)
	switch {
	case err != nil:
		return nil, err
	case running != nil:
		return &Stream{live: running}, nil
	case kept.EndedAt == 0:
		return nil, &Error{Code: wire.CodeUnavailable, Message: "The answer broke off; its end comes with the next start of the service", Cause: errEnds}
	}
	return &Stream{store: s.config.Store, kept: kept}, nil
}

func (s *Service) find(streamID string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.running[streamID]
}

func (st *Stream) lastID() int64 {
	if st.live != nil {
		return st.live.lastID()
	}
	return st.kept.LastID
}

// isGone tells that the events of a stream are no longer kept. It is a fact of
// the clock: they may be there until the next sweep.
func (s *Service) isGone(stream *Stream) bool {
	return stream.live == nil && stream.kept.EndedAt <= s.endedBefore()
}

func (s *Service) endedBefore() float64 { return s.now() - s.config.Retention.Seconds() }

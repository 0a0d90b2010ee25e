package chat

import (
	"context"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// DefaultRetention is how long the events of a stream are kept after its end.
const DefaultRetention = 10 * time.Minute

// Resume returns a stream again, from the event after the one with the id after; 0 means from the
// first one. The user who owns the chat may read it, and so may an API key that acts for no user;
// for others the stream does not exist.
func (s *Service) Resume(ctx context.Context, caller access.Caller, streamID string, after int64) (*Stream, error) {
	stored, err := s.config.Store.StreamHead(ctx, caller.Scope, streamID)
	if err != nil {
		return nil, err
	}
	if s.isGone(stored) {
		return nil, errGone
	}
	if after < 0 || after > stored.LastID {
		return nil, fault.Invalid("last-event-id", "Last-Event-ID must be from 0 to %d, the last event so far", stored.LastID)
	}
	return &Stream{service: s, projectID: caller.ProjectID, start: stored.Start, after: after, last: stored.LastID}, nil
}

var errGone = &fault.Error{Code: wire.CodeStreamGone, Message: "The events of this stream are no longer kept; read the message from the history"}

// isGone reports whether the events of a stream are no longer kept. Only the clock decides: the
// events may still be stored until the next sweep.
func (s *Service) isGone(stored StoredStream) bool {
	return stored.EndedAt != 0 && stored.EndedAt <= s.endedBefore()
}

func (s *Service) endedBefore() float64 { return s.now() - s.config.Retention.Seconds() }

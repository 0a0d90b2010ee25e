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

// Resume gives a stream again, from the event behind the one with the id after:
// 0 is from the first one. It is for whom the chat belongs to, and an API key
// that acts for nobody; for others there is no such stream.
func (s *Service) Resume(ctx context.Context, caller access.Caller, streamID string, after int64) (*Stream, error) {
	stored, err := s.config.Store.Stream(ctx, caller.Scope, streamID)
	if err != nil {
		return nil, err
	}
	if s.isGone(stored) {
		return nil, errGone
	}
	if after < 0 || after > stored.LastID {
		return nil, fault.Invalid("last-event-id", "Last-Event-ID must be from 0 to %d, the last event so far", stored.LastID)
	}
	return &Stream{service: s, projectID: caller.ProjectID, start: stored.Start, after: after}, nil
}

var errGone = &fault.Error{Code: wire.CodeStreamGone, Message: "The events of this stream are no longer kept; read the message from the history"}

// isGone tells that the events of a stream are no longer kept. It is a fact of
// the clock: they may be there until the next sweep.
func (s *Service) isGone(stored StoredStream) bool {
	return stored.EndedAt != 0 && stored.EndedAt <= s.endedBefore()
}

func (s *Service) endedBefore() float64 { return s.now() - s.config.Retention.Seconds() }

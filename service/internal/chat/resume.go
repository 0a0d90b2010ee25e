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
	kept, err := s.config.Store.Stream(ctx, caller.Scope, streamID)
	if err != nil {
		return nil, err
	}
	if s.isGone(kept) {
		return nil, errGone
	}
	if after < 0 || after > kept.LastID {
		return nil, &Error{
			Code: wire.CodeValidation, Message: fmt.Sprintf("Last-Event-ID must be from 0 to %d, the last event so far", kept.LastID),
			Fields: []string{"last-event-id"},
		}
	}
	return &Stream{service: s, start: kept.Start, after: after}, nil
}

var errGone = &Error{Code: wire.CodeStreamGone, Message: "The events of this stream are no longer kept; read the message from the history"}

// isGone tells that the events of a stream are no longer kept. It is a fact of
// the clock: they may be there until the next sweep.
func (s *Service) isGone(kept Kept) bool { return kept.EndedAt != 0 && kept.EndedAt <= s.endedBefore() }

func (s *Service) endedBefore() float64 { return s.now() - s.config.Retention.Seconds() }

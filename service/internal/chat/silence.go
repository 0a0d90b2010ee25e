package chat

import (
	"context"
	"errors"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// DefaultSilence is how long a request waits without news if Config.Silence is 0.
const DefaultSilence = time.Minute

// errNoNews ends a request that has waited for too long. What it waits for goes on.
var errNoNews = &fault.Error{
	Code: wire.CodeUnavailable, Message: "There has been no news of the answer for too long; it may still come: ask again in a moment",
	RetryAfter: 5 * time.Second,
}

// briefly runs do, which waits for others, for Config.Silence at most.
func (s *Service) briefly(ctx context.Context, do func(context.Context) error) error {
	within, cancel := context.WithTimeout(ctx, s.config.Silence)
	defer cancel()
	err := do(within)
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return errNoNews
	}
	return err
}

// patience returns how much longer a client waits for the whole answer after a silence, or 0 and
// why not. While a model is asked here, its provider limits the silence. An answer that waits for
// calls may wait as long as they do. Otherwise only events are news.
func (st *Stream) patience(ctx context.Context, waitsForCalls bool) (time.Duration, error) {
	s := st.service
	since, isWritten := s.logs.Storing(st.start.StreamID)
	if isWritten && since.IsZero() {
		return s.config.Silence, nil
	}
	if left := s.config.Silence - time.Since(since); isWritten && left > 0 {
		return left, nil
	}
	if isWritten || !waitsForCalls {
		return 0, errNoNews
	}
	err := s.briefly(ctx, func(ctx context.Context) error {
		_, err := s.config.Store.Parked(ctx, st.start.StreamID)
		return err
	})
	switch {
	case errors.Is(err, fault.ErrNotFound): // it goes on elsewhere
		return 0, errNoNews
	case err != nil:
		return 0, err
	}
	return s.config.Silence, nil
}

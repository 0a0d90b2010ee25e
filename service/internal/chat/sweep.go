package chat

import (
	"context"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/once"
)

// sweepPause is the time between two times that the Service tidies up.
const sweepPause = time.Minute

// Run carries out calls of tools, and has answers go on that wait for them, until ctx ends.
// It removes events and idempotency keys whose time is over, and what is left of what was
// deleted, which changes nothing that is told.
func (s *Service) Run(ctx context.Context) {
	carried := make(chan struct{})
	go func() {
		defer close(carried)
		s.carryOn(ctx)
	}()
	defer func() { <-carried }()
	ticker := time.NewTicker(sweepPause)
	defer ticker.Stop()
	for ctx.Err() == nil {
		if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.Error("chat cannot tidy up", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-s.deleted:
		}
	}
}

// Sweep does once what Run does again and again. What fails keeps nothing else
// from being tidied up, and is tried again the next time.
func (s *Service) Sweep(ctx context.Context) error {
	return s.config.Store.Sweep(ctx, s.endedBefore(), once.Since(s.now()))
}

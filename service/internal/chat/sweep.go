package chat

import (
	"context"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/once"
)

// sweepPause is the time between two sweeps.
const sweepPause = time.Minute

// Run carries out tool calls and continues the answers that wait for them, until ctx ends. It
// also removes expired events and idempotency keys, and what is left of deleted things; no reader
// notices that.
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
			s.config.Log.Error("cleaning up old streams and deleted chats failed", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-s.deleted:
		case <-s.config.Erased:
		}
	}
}

// Sweep does once what Run does repeatedly.
func (s *Service) Sweep(ctx context.Context) error {
	return s.config.Store.Sweep(ctx, s.endedBefore(), once.Since(s.now()))
}

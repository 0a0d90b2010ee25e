package chat

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// attendPause is the longest time until something due is noticed.
	attendPause = time.Second
	// readyTurns is how many answers that can continue are read at once.
	readyTurns = 1000
	// findsKept is for how many parked answers the results of searches are kept in memory.
	findsKept = 256
)

// carryOn carries out calls, and continues answers whose calls are settled, until ctx ends.
func (s *Service) carryOn(ctx context.Context) {
	ticker := time.NewTicker(attendPause)
	defer ticker.Stop()
	failing := false
	for ctx.Err() == nil {
		err := s.Attend(ctx)
		if err != nil && !failing && ctx.Err() == nil {
			s.config.Log.Error("tool calls cannot be carried out now", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-s.calls.More():
		}
	}
}

// Attend handles once all calls and parked answers that are due. Work that it begins continues
// after it returns. If something fails, the rest is still handled, and the failed part is tried
// again the next time.
func (s *Service) Attend(ctx context.Context) error {
	if s.Closing() {
		return nil
	}
	err := s.calls.Attend(ctx)
	ready, failed := s.config.Store.ReadyTurns(ctx, readyTurns)
	err = errors.Join(err, failed)
	for _, streamID := range ready {
		err = errors.Join(err, s.goOn(ctx, streamID))
	}
	return err
}

// parkedFinds are the results of searches for parked answers, by the ids of their streams. What is lost is
// searched for again.
type parkedFinds struct {
	mu    sync.Mutex
	finds map[string]*finds
}

// keep keeps what was found for an answer, so that its next round need not search again.
func (c *parkedFinds) keep(streamID string, found *finds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finds == nil {
		c.finds = map[string]*finds{}
	}
	for id := range c.finds {
		if len(c.finds) < findsKept {
			break
		}
		delete(c.finds, id) // any of them: its search is repeated
	}
	c.finds[streamID] = found
}

// found returns what keep has kept, and forgets it.
func (c *parkedFinds) found(streamID string) *finds {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.finds[streamID]
	delete(c.finds, streamID)
	return found
}

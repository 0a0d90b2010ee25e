package chat

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/tool"
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
	finds map[string]*answering.Finds
}

// keep keeps what was found for an answer, so that its next round need not search again.
func (c *parkedFinds) keep(streamID string, found *answering.Finds) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.finds == nil {
		c.finds = map[string]*answering.Finds{}
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
func (c *parkedFinds) found(streamID string) *answering.Finds {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.finds[streamID]
	delete(c.finds, streamID)
	return found
}

// toolsOf returns the tools of the agents, by their ids.
func toolsOf(agents []answering.Agent) map[string]*tool.Set {
	tools := map[string]*tool.Set{}
	for _, agent := range agents {
		tools[agent.ID] = agent.Tools
	}
	return tools
}

// pageTools returns the tools that the page offered with the question of a parked answer.
func (s *Service) pageTools(ctx context.Context, streamID string) (wire.JSON, error) {
	parked, err := s.config.Store.Parked(ctx, streamID)
	return wire.JSON(parked.Asked.PageTools), err
}

// enterWork counts work that Close waits for, unless it has begun to.
func (s *Service) enterWork() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.turns.Add(1)
	return s.turns.Done, true
}

package once

import (
	"context"
	"sync"
)

// Gate admits one request at a time for each key. A repeat that arrives while the first one is
// being stored waits for it, and limits for new requests don't apply to it. The zero value is
// ready for use.
type Gate struct {
	mu     sync.Mutex
	inside map[ID]chan struct{}
}

// Enter waits until no other request with the key is inside, or ctx ends. After entering, the
// caller calls leave. Requests without a key enter at once.
func (g *Gate) Enter(ctx context.Context, id ID) (leave func(), err error) {
	if id.Key == "" {
		return func() {}, nil
	}
	for {
		before := g.enter(id)
		if before == nil {
			return func() { g.leave(id) }, nil
		}
		select {
		case <-before:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enter returns nil, or a channel that is closed when the request before has left.
func (g *Gate) enter(id ID) (before <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if before := g.inside[id]; before != nil {
		return before
	}
	if g.inside == nil {
		g.inside = map[ID]chan struct{}{}
	}
	g.inside[id] = make(chan struct{})
	return nil
}

func (g *Gate) leave(id ID) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(g.inside[id])
	delete(g.inside, id)
}

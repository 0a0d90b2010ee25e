package once

import (
	"context"
	"sync"
)

// Gate lets one request at a time pass for each key, so that a repeat that
// comes while the first one is being stored waits for it, and meets none of the
// limits that hold for new requests. The zero value is ready for use.
type Gate struct {
	mu     sync.Mutex
	inside map[ID]chan struct{}
}

// Enter waits until no other request with the key is inside, or ctx ends. Who
// has entered calls leave. Requests without a key pass at once.
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

// enter gives nil, or what is closed when the one before has left.
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

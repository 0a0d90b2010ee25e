package chat

import (
	"context"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Admission admits one request for an answer, before its body has arrived. Only one goroutine may
// use it.
type Admission struct {
	service *Service
	caller  access.Caller
	key     once.ID
	// arrival is shared with the other current requests that have the same key.
	arrival *arrival
}

// Admit counts a request for an answer: as one of the sends of this minute, where it stays
// counted whatever happens later, and as one of the running streams. A request whose key is known
// is not counted. If another request with the same key is on its way, this one is counted only
// when the other has left and this one is not a repeat of it. The caller calls Leave when the
// answer has begun, or if it will not begin.
func (s *Service) Admit(ctx context.Context, caller access.Caller, key string) (*Admission, error) {
	a := &Admission{service: s, caller: caller, key: once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key}}
	// This comes first: a request that leaves has stored its key by then, so that no repeat
	// slips through between the two.
	var isFirst bool
	a.arrival, isFirst = s.arriving.enter(a.key)
	isKnown, err := s.isKnown(ctx, a.key)
	if err == nil && isFirst && !isKnown {
		err = a.count()
	}
	if err != nil {
		a.Leave()
		return nil, err
	}
	return a, nil
}

// count counts the request, unless another one with the same key is counted.
func (a *Admission) count() error {
	a.arrival.mu.Lock()
	defer a.arrival.mu.Unlock()
	if a.arrival.counted != nil {
		return nil
	}
	release, err := a.service.quota.take(a.caller.Scope)
	if err == nil {
		a.arrival.counted, a.arrival.release = a, release
	}
	return err
}

// take takes the slot among the user's running streams for an answer that is about to begin, which gives it back by
// calling release: the slot of another request with the same key if that is still on its way, else one of its own.
func (a *Admission) take() (release func(), err error) {
	a.arrival.mu.Lock()
	defer a.arrival.mu.Unlock()
	if release = a.arrival.release; release == nil {
		if release, err = a.service.quota.take(a.caller.Scope); err != nil {
			return nil, err
		}
	}
	a.arrival.counted, a.arrival.release = a, nil
	return release, nil
}

// putBack puts the slot back of an answer that did not begin: this request gives it back when it leaves, or another one
// with the same key takes it.
func (a *Admission) putBack(release func()) {
	a.arrival.mu.Lock()
	defer a.arrival.mu.Unlock()
	a.arrival.release = release
}

// Leave gives the slot back, unless a running answer has taken it over.
func (a *Admission) Leave() {
	a.arrival.mu.Lock()
	if a.arrival.counted == a && a.arrival.release != nil {
		a.arrival.release()
		a.arrival.release = nil
	}
	a.arrival.mu.Unlock()
	a.service.arriving.leave(a.key)
}

func (s *Service) isKnown(ctx context.Context, key once.ID) (bool, error) {
	if key.Key == "" {
		return false, nil
	}
	_, found, err := s.config.Store.UsedKey(ctx, key, once.Since(s.now()))
	return found, err
}

// KeyIsKnown reports whether an earlier request of the caller, of any kind, had this idempotency
// key.
func (s *Service) KeyIsKnown(ctx context.Context, caller access.Caller, key string) (bool, error) {
	return s.isKnown(ctx, once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key})
}

// arrival is the state that current requests with one key share. A request without a key has its
// own.
type arrival struct {
	requests int // guarded by the mutex of arrivals
	// turn holds a value while one of them begins its answer.
	turn chan struct{}

	mu sync.Mutex
	// counted is the last request that was counted, nil for none. It holds the slot among the user's running streams
	// that release gives back; nil if none is held.
	counted *Admission
	release func()
}

func newArrival(requests int) *arrival {
	return &arrival{requests: requests, turn: make(chan struct{}, 1)}
}

// begin waits until none of the other requests begins its answer, or ctx ends. The caller calls end.
func (a *arrival) begin(ctx context.Context) (end func(), err error) {
	end = func() { <-a.turn }
	select {
	case a.turn <- struct{}{}:
		return end, nil
	default:
	}
	select {
	case a.turn <- struct{}{}:
		return end, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// arrivals has the arrival of each key. The zero value is ready for use.
type arrivals struct {
	mu  sync.Mutex
	all map[once.ID]*arrival
}

// enter reports whether no other request with the key is on its way.
func (a *arrivals) enter(id once.ID) (one *arrival, isFirst bool) {
	if id.Key == "" {
		return newArrival(1), true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[once.ID]*arrival{}
	}
	if a.all[id] == nil {
		a.all[id] = newArrival(0)
	}
	one = a.all[id]
	one.requests++
	return one, one.requests == 1
}

func (a *arrivals) leave(id once.ID) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if one := a.all[id]; one != nil {
		if one.requests--; one.requests == 0 {
			delete(a.all, id)
		}
	}
}

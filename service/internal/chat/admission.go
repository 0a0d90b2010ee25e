package chat

import (
	"context"
	"sync"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Admission lets one request for an answer in, before its body has come. It is
// for one goroutine.
type Admission struct {
	service *Service
	caller  access.Caller
	key     once.ID
	// arrival is what it shares with the other requests of its key that are on their way.
	arrival *arrival
}

// Admit counts a request for an answer: against the sends a minute, which it
// stays counted in whatever comes of it, and among the running streams. A
// request whose key is known is not counted. One that comes while another with
// its key is on its way is counted when it turns out to be no repeat and that one has left.
// Who is admitted calls Leave when the answer has begun or will not.
func (s *Service) Admit(ctx context.Context, caller access.Caller, key string) (*Admission, error) {
	a := &Admission{service: s, caller: caller, key: once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key}}
	// First: one that leaves has stored its claim by then, so that no repeat
	// comes between the two.
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

// count counts the request. If one of its key that is still on its way was counted, it takes
// that one's place instead, which the other then does not give back when it leaves.
func (a *Admission) count() (err error) {
	a.arrival.mu.Lock()
	defer a.arrival.mu.Unlock()
	if a.arrival.release == nil {
		a.arrival.release, err = a.service.quota.take(a.caller.Scope)
	}
	a.arrival.counted = a
	return err
}

// place gives the place among the user's running streams to an answer that has begun,
// which gives it back.
func (a *Admission) place() (release func()) {
	a.arrival.mu.Lock()
	defer a.arrival.mu.Unlock()
	release = a.arrival.release
	a.arrival.release = nil
	return release
}

// Leave gives back what no running answer has taken over.
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
	_, found, err := s.config.Store.Claimed(ctx, key, once.Since(s.now()))
	return found, err
}

// arrival are the requests of one key that are on their way, or one without a key.
type arrival struct {
	requests int // guarded by the mutex of arrivals

	mu sync.Mutex
	// counted is the request that has the place among the user's running streams, which
	// release gives back; nil if none is held.
	counted *Admission
	release func()
}

// arrivals are those of each key. The zero value is ready for use.
type arrivals struct {
	mu  sync.Mutex
	all map[once.ID]*arrival
}

// enter tells whether no other request with the key is on its way.
func (a *arrivals) enter(id once.ID) (one *arrival, isFirst bool) {
	if id.Key == "" {
		return &arrival{requests: 1}, true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[once.ID]*arrival{}
	}
	if a.all[id] == nil {
		a.all[id] = &arrival{}
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

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
	// release gives the place among the user's running streams back; nil where
	// none is held.
	release func()
}

// Admit counts a request for an answer: against the sends a minute, which it
// stays counted in whatever comes of it, and among the running streams. A
// request whose key is known is not counted. One that comes while another with
// its key is on its way is counted when it turns out to be no repeat. Who is
// admitted calls Leave when the answer has begun or will not.
func (s *Service) Admit(ctx context.Context, caller access.Caller, key string) (*Admission, error) {
	a := &Admission{service: s, caller: caller, key: once.ID{ProjectID: caller.ProjectID, UserID: caller.UserID, Key: key}}
	// First: one that leaves has stored its claim by then, so that no repeat
	// comes between the two.
	isFirst := s.arriving.enter(a.key)
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

// count counts the request, once.
func (a *Admission) count() (err error) {
	if a.release == nil {
		a.release, err = a.service.quota.take(a.caller.Scope)
	}
	return err
}

// Leave gives back what no running answer has taken over.
func (a *Admission) Leave() {
	if a.release != nil {
		a.release()
	}
	a.release = nil
	a.service.arriving.leave(a.key)
}

func (s *Service) isKnown(ctx context.Context, key once.ID) (bool, error) {
	if key.Key == "" {
		return false, nil
	}
	_, found, err := s.config.Store.Claimed(ctx, key, once.Since(s.now()))
	return found, err
}

// arrivals counts the requests of each key that are on their way. The zero value
// is ready for use.
type arrivals struct {
	mu  sync.Mutex
	all map[once.ID]int
}

// enter tells whether no other request with the key is on its way.
func (a *arrivals) enter(id once.ID) (isFirst bool) {
	if id.Key == "" {
		return true
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[once.ID]int{}
	}
	a.all[id]++
	return a.all[id] == 1
}

func (a *arrivals) leave(id once.ID) {
	if id.Key == "" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all[id]--; a.all[id] == 0 {
		delete(a.all, id)
	}
}

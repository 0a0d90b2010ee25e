package chat

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// QuotaUsers is the number of users for whom the Service counts running answers.
func (s *Service) QuotaUsers() int {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	return len(s.quota.streams)
}

// Quota takes from a user's quota directly.
func (s *Service) Quota(user access.Scope) (done func(), err error) { return s.quota.take(user) }

// Begins waits until no other request with a key begins its answer. The caller calls end.
func (s *Service) Begins(ctx context.Context, id once.ID) (end func(), err error) {
	arrival, _ := s.arriving.enter(id)
	over, err := arrival.begin(ctx)
	if err != nil {
		s.arriving.leave(id)
		return nil, err
	}
	return func() {
		over()
		s.arriving.leave(id)
	}, nil
}

package chat

import (
	"github.com/chatsdk/chatsdk/service/internal/access"
)

// QuotaUsers is the number of users for whom the Service counts running answers.
func (s *Service) QuotaUsers() int {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	return len(s.quota.streams)
}

// Quota takes from a user's quota directly.
func (s *Service) Quota(user access.Scope) (done func(), err error) { return s.quota.take(user) }

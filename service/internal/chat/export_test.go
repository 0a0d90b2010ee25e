package chat

import (
	"github.com/chatsdk/chatsdk/service/internal/access"
)

// QuotaUsers is the number of users of whose running answers the Service knows.
func (s *Service) QuotaUsers() int {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	return len(s.quota.streams)
}

// Quota gives a user's quota alone, without a Service.
func (s *Service) Quota(user access.Scope) (done func(), err error) { return s.quota.take(user) }

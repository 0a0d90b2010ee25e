package chat

// QuotaUsers is the number of users whose use the Service remembers.
func (s *Service) QuotaUsers() int {
	s.quota.mu.Lock()
	defer s.quota.mu.Unlock()
	return len(s.quota.users)
}

// Quota gives a user's quota alone, without a Service.
func (s *Service) Quota(user Scope) (done func(), err error) { return s.quota.take(user) }

package memory

import "context"

// WorkOff examines the due messages, as a worker of Run does.
func (s *Service) WorkOff(ctx context.Context) error { return s.queue.WorkOff(ctx) }

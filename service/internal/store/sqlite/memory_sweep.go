package sqlite

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// sweepMemories is how many memories one transaction changes at most, so that no writer waits for
// long.
const sweepMemories = 256

const (
	expireMemories = `
		UPDATE memories SET status = 'rejected', reject_reason = 'expired', rejected_at = expires_at, updated_at = expires_at, expires_at = 0
		WHERE position IN (SELECT position FROM memories WHERE status = 'pending' AND expires_at <= ? LIMIT ?)`
	sweepSpent = `
		DELETE FROM memories
		WHERE position IN (SELECT position FROM memories WHERE ` + store.IsSpent + ` AND rejected_at <= ? LIMIT ?)`
)

// ExpireMemories implements memory.Records.
func (s *Store) ExpireMemories(ctx context.Context, now float64) error {
	return failed("expire", "memories", s.changeInSteps(ctx, expireMemories, now))
}

// SweepMemories implements memory.Records.
func (s *Store) SweepMemories(ctx context.Context, before float64) error {
	return failed("sweep", "memories", s.changeInSteps(ctx, sweepSpent, before))
}

// changeInSteps repeats a statement that changes a limited number of rows until it changes none.
func (s *Store) changeInSteps(ctx context.Context, statement string, until float64) error {
	return s.inSteps(ctx, func(ctx context.Context, tx store.Session) (int64, error) {
		count, err := tx.Exec(ctx, statement, until, sweepMemories)
		if count > 0 {
			s.erases()
		}
		return count, err
	})
}

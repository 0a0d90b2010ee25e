package postgres

import (
	"context"
	"time"
)

// Clock returns the database's time.
func (s *Store) Clock(ctx context.Context) (now time.Time, err error) {
	err = s.now().Row(ctx, `SELECT clock_timestamp()`).Scan(&now)
	return now, failed("read", "the database's clock", err)
}

// Package clock has the time that the service stores and compares: the machine's, or the database's if replicas share one.
package clock

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

const (
	// pause is how often a replica compares its clock with the database's.
	pause = 10 * time.Second
	// difference is by how much they may differ, besides the time that asking takes.
	difference = time.Second
	// timeout is how long the comparison may take.
	timeout = 5 * time.Second
)

// Database shows the database's time, so that replicas agree whether a call has expired or was lost
// and how long an address is valid, whatever their own clocks show. Between two comparisons it counts
// with the monotonic clock, so that nothing happens if the machine's clock is set.
type Database struct {
	own  func() time.Time
	read func(context.Context) (time.Time, error)
	log  *slog.Logger

	mu sync.Mutex
	// at is the database's time when passed was shown by the monotonic clock.
	at, passed time.Time
	// isTold reports whether the log says that the machine's clock differs.
	isTold bool
}

// NewDatabase compares the machine's clock, own, with the database's, and says in the log if they
// differ.
func NewDatabase(ctx context.Context, own func() time.Time, read func(context.Context) (time.Time, error), log *slog.Logger) (*Database, error) {
	c := &Database{own: own, read: read, log: log}
	return c, c.Compare(ctx)
}

// Now returns the database's time.
func (c *Database) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at.Add(time.Since(c.passed))
}

// Run compares the clocks until ctx ends. While the database is away, the time goes on.
func (c *Database) Run(ctx context.Context) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = c.Compare(ctx)
		}
	}
}

func (c *Database) Compare(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	before := time.Now()
	read, err := c.read(ctx)
	if err != nil {
		return err
	}
	passed := time.Now()
	took := passed.Sub(before)
	at := read.Add(took / 2)
	c.tell(c.own().Sub(at), took)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || at.Sub(c.at.Add(passed.Sub(c.passed))).Abs() > difference+took {
		c.at, c.passed = at, passed
	}
	return nil
}

// tell says once that the machine's clock differs, and once that it does no longer.
func (c *Database) tell(ahead, took time.Duration) {
	differs := ahead.Abs() > difference+took
	switch {
	case differs && !c.isTold:
		c.log.Warn("the clock of this machine differs from the database's, whose time counts; set the machine's clock", "seconds_ahead", ahead.Round(time.Millisecond).Seconds())
	case !differs && c.isTold:
		c.log.Info("the clock of this machine agrees with the database's again")
	}
	c.isTold = differs
}

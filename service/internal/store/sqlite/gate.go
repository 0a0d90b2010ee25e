package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"sync"
	"time"
)

// gate keeps readers out for a moment. The write-ahead log can only be emptied while nobody reads,
// and there may always be somebody who reads.
type gate struct {
	mu     sync.Mutex
	inside int
	shut   chan struct{} // not nil while it is shut; closed when it opens
	empty  chan struct{} // not nil while somebody waits for the last reader; closed by that one
}

// enter waits while the gate is shut, which is never for long.
func (g *gate) enter() {
	for {
		g.mu.Lock()
		shut := g.shut
		if shut == nil {
			g.inside++
			g.mu.Unlock()
			return
		}
		g.mu.Unlock()
		<-shut
	}
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
		g.empty = nil
	}
}

var errReadLong = errors.New("somebody reads for long")

// alone runs do while nobody reads. It waits no longer than this for those who do, because others
// wait behind it meanwhile. Only one goroutine at a time may call it.
func (g *gate) alone(ctx context.Context, wait time.Duration, do func() error) error {
	g.mu.Lock()
	g.shut = make(chan struct{})
	empty := make(chan struct{})
	if g.inside == 0 {
		close(empty)
	} else {
		g.empty = empty
	}
	g.mu.Unlock()
	defer func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		close(g.shut)
		g.shut, g.empty = nil, nil
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-empty:
		return do()
	case <-timer.C:
		return errReadLong
	case <-ctx.Done():
		return ctx.Err()
	}
}

// reading is a connection behind a gate. It is inside while it has a transaction or rows.
type reading struct {
	*keeping
	gate *gate
	held bool // it has a transaction
}

// BeginTx implements driver.ConnBeginTx.
func (r *reading) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	r.gate.enter()
	tx, err := r.keeping.BeginTx(ctx, options)
	if err != nil {
		r.gate.leave()
		return nil, err
	}
	r.held = true
	return &readingTx{tx, r}, nil
}

type readingTx struct {
	driver.Tx
	of *reading
}

// Commit implements driver.Tx.
func (t *readingTx) Commit() error {
	defer t.leave()
	return t.Tx.Commit()
}

// Rollback implements driver.Tx.
func (t *readingTx) Rollback() error {
	defer t.leave()
	return t.Tx.Rollback()
}

func (t *readingTx) leave() {
	t.of.held = false
	t.of.gate.leave()
}

// QueryContext implements driver.QueryerContext.
func (r *reading) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	if r.held {
		return r.keeping.QueryContext(ctx, text, args)
	}
	r.gate.enter()
	rows, err := r.keeping.QueryContext(ctx, text, args)
	if err != nil {
		r.gate.leave()
		return nil, err
	}
	return &readingRows{rows, r.gate}, nil
}

type readingRows struct {
	driver.Rows
	gate *gate
}

// Close implements driver.Rows.
func (r *readingRows) Close() error {
	defer r.gate.leave()
	return r.Rows.Close()
}

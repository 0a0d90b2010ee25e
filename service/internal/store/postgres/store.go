// Package postgres keeps chats, messages, streams, memories and documents in a PostgreSQL
// database, which any number of processes share. Begin with Open.
//
// Package sqlite keeps the same data, in tables and columns with the same names. It has one
// writer; here locks keep conflicting transactions apart, all of which are listed in locks.go. If
// a transaction ends in a deadlock, it is run again.
//
// A write waits for a connection until its context ends. Once begun, it runs to its end, so that
// its outcome is known. It fails after writeTime, in which it has waited too, and a read after readTime.
//
// Deleted data is invisible to every query at once. Its bytes stay in the files of the database
// until PostgreSQL's vacuum and the rotation of its log have overwritten them.
package postgres

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/replica"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Store is a chat.Store, a memory.Store and a knowledge.Store in a PostgreSQL database.
type Store struct {
	*store.Tables

	// Limits must be set before the Store is used.
	Limits Limits

	pool    *pgxpool.Pool
	beat    *pgxpool.Pool         // one connection, which keeps this replica's lease
	pooled  bool                  // see Config
	replica string                // the id under which this process owns things
	renewed atomic.Pointer[error] // of the last renewal of the lease, nil if it worked
	appends appends
	erased  chan struct{} // see Erased
}

// Erased receives a value after a deletion that left something to be removed: see Sweep.
func (s *Store) Erased() <-chan struct{} { return s.erased }

// tellErased wakes who receives from Erased, and returns err.
func (s *Store) tellErased(err error) error {
	if err == nil {
		select {
		case s.erased <- struct{}{}:
		default: // somebody will be woken
		}
	}
	return err
}

var (
	_ chat.Store      = (*Store)(nil)
	_ memory.Store    = (*Store)(nil)
	_ knowledge.Store = (*Store)(nil)
	_ stream.Shared   = (*Store)(nil)
	_ stream.Awaiter  = (*Store)(nil)
	_ replica.Store   = (*Store)(nil)
)

// Close closes every connection, after the running transactions.
func (s *Store) Close() error {
	s.beat.Close()
	s.pool.Close()
	return nil
}

// Ping reports whether the database can be written. It writes nothing: this replica renews its lease
// each few seconds, which says whether that worked.
func (s *Store) Ping(ctx context.Context) error {
	var readOnly bool
	err := s.now().Row(ctx, `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean`).Scan(&readOnly)
	if err == nil && readOnly {
		err = errStandby
	}
	if renewed := s.renewed.Load(); err == nil && renewed != nil && unavailable(*renewed) != away { // it is back
		err = *renewed
	}
	return failed("ping", "the database", ended(ctx, err))
}

const (
	// writeTime bounds a transaction that writes. If its connection was cut silently, it would
	// otherwise wait as long as TCP does.
	writeTime = 30 * time.Second
	// readTime bounds a transaction that only reads, for the same reason.
	readTime = 15 * time.Second
	// writeTries is how often a transaction that ends in a deadlock with others is tried.
	writeTries = 8
)

// write runs do in a transaction, and again if it was rolled back in favour of another one.
func (s *Store) write(ctx context.Context, do func(context.Context, store.Session) error) error {
	for try := 1; ; try++ {
		err := s.writeOnce(ctx, writeTime, do)
		if try == writeTries || !gaveWay(err) || ctx.Err() != nil {
			return err
		}
	}
}

func (s *Store) writeOnce(ctx context.Context, within time.Duration, do func(context.Context, store.Session) error) error {
	deadline := time.Now().Add(within)
	waiting, stop := context.WithDeadline(ctx, deadline)
	defer stop()
	conn, err := s.pool.Acquire(waiting)
	if err != nil {
		return ended(ctx, err)
	}
	defer conn.Release()
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	return transact(ctx, conn, s.begin(pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite}), do)
}

// exec runs a statement in its own transaction.
func (s *Store) exec(ctx context.Context, statement string, args ...any) error {
	return store.Exec(ctx, s.write, statement, args...)
}

// read runs do on one snapshot of the database.
func (s *Store) read(ctx context.Context, do func(context.Context, store.Session) error) error {
	within, cancel := context.WithTimeout(ctx, readTime)
	defer cancel()
	conn, err := s.pool.Acquire(within)
	if err != nil {
		return ended(ctx, err)
	}
	defer conn.Release()
	return ended(ctx, transact(within, conn, s.begin(pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}), do))
}

// now runs single statements, each on the current state.
func (s *Store) now() store.Session { return session{in: s.pool, within: readTime} }

// first is like now, but doesn't wait for a connection after other requests.
func (s *Store) first() store.Session { return session{in: s.beat, within: readTime} }

func transact(ctx context.Context, conn *pgxpool.Conn, options pgx.TxOptions, do func(context.Context, store.Session) error) error {
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) // does nothing after Commit
	if err := do(ctx, session{in: tx}); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

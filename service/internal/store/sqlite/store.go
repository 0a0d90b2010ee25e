// Package sqlite keeps chats, messages, streams, memories and documents in one SQLite file. Begin
// with Open.
//
// One connection writes, in BEGIN IMMEDIATE transactions, and a few others read, so a reader
// never waits for a writer (the file is in WAL mode). A committed transaction survives if the
// process is killed. A power failure may lose the last ones (synchronous is NORMAL).
//
// A write waits for its turn until its context ends. Once begun, it runs to its end, because an
// interrupted connection would have to be opened again. Writes that wait share a transaction,
// each in its own savepoint (write.go). No single transaction grows with the size of a file, of a
// chat or of deleted data: see files.go, history.go and remains.go; steps_test.go measures it.
//
// Deleted data is overwritten with zeros in the file (secure_delete, scrub.go), and Sweep empties the
// write-ahead log.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// Limits bound what a user may have stored.
type Limits = store.Limits

// Store is a chat.Store, a memory.Store and a knowledge.Store in a SQLite file.
type Store struct {
	*store.Tables

	// Limits must be set before the Store is used.
	Limits Limits

	writer  *sql.DB
	readers *sql.DB
	gate    gate    // of the readers
	emptier *sql.DB // empties the write-ahead log
	// anchor is a connection that is never used and never dropped: when the last connection of a
	// process ends, SQLite removes the write-ahead log, and a new one is another file.
	anchor  *sql.DB
	erasing *erasing
	raw     *os.File // the database, to read
	writes  writes
	// shareFor is how long a transaction accepts further writes that wait.
	shareFor time.Duration
	running  *write // the write that runs in the current transaction
	open     openStreams
	held     longest
	health   health
	spare    reserve
}

var (
	_ chat.Store   = (*Store)(nil)
	_ memory.Store = (*Store)(nil)

	_ knowledge.Store = (*Store)(nil)
)

// Close closes every connection, after the running transactions. The last one moves the content
// of the write-ahead log into the file.
func (s *Store) Close() error {
	err := errors.Join(s.anchor.Close(), s.emptier.Close(), s.readers.Close(), s.writer.Close(), s.spare.remove())
	_ = s.raw.Close() // at last: closing a file releases all locks of the process on it
	return err
}

// errEndedMeanwhile says that a stream was open in the snapshot, but is no longer open.
var errEndedMeanwhile = errors.New("a stream ended meanwhile")

// readTries is more than needed: in the next snapshot the stream has ended. But in a history with
// many open streams, another one may have ended each time.
const readTries = 100

// read runs do on a snapshot of the database, and again on a newer one if it returns
// errEndedMeanwhile.
func (s *Store) read(ctx context.Context, do func(context.Context, store.Session) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	for range readTries {
		if err = transact(ctx, conn, &sql.TxOptions{ReadOnly: true}, do); !errors.Is(err, errEndedMeanwhile) {
			break
		}
	}
	if err != nil && ctx.Err() != nil {
		return ctx.Err() // instead of the errors of database/sql and SQLite
	}
	return err
}

func transact(ctx context.Context, conn *sql.Conn, options *sql.TxOptions, do func(context.Context, store.Session) error) error {
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := do(ctx, session{tx}); err != nil {
		return err
	}
	return tx.Commit()
}

// longest is the maximum of durations.
type longest struct{ nanoseconds atomic.Int64 }

func (l *longest) add(time time.Duration) {
	for {
		longest := l.nanoseconds.Load()
		if int64(time) <= longest || l.nanoseconds.CompareAndSwap(longest, int64(time)) {
			return
		}
	}
}

// Held returns the longest time for which a transaction has held the writer since the last call.
func (s *Store) Held() time.Duration { return time.Duration(s.held.nanoseconds.Swap(0)) }

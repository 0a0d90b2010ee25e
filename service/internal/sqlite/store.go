// Package sqlite keeps chats, messages, streams, memories and documents in one SQLite file. Begin
// with Open.
//
// One connection writes, in BEGIN IMMEDIATE transactions, and a few others
// read, so a reader never waits for a writer (the file is in WAL mode). A
// transaction that was committed outlives a killed process; loss of power may
// take the last ones (synchronous is NORMAL).
//
// A write waits for its turn until its context ends. One that has begun is run
// to its end: an interrupted connection would have to be opened again. What waits
// shares a transaction, each in a savepoint of its own (write.go). No write grows
// with a file or with how much is deleted: see files.go for the first, and remains.go
// for the second.
//
// What is deleted is overwritten with zeros in the file (secure_delete), and
// Sweep empties the write-ahead log.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Store is a chat.Store, a memory.Store and a knowledge.Store in a SQLite file.
type Store struct {
	// Limits are set before the Store is used.
	Limits Limits

	writer  *sql.DB
	readers *sql.DB
	emptier *sql.DB // of the write-ahead log
	writes  writes
	// shareFor is how long a transaction takes writes that wait.
	shareFor time.Duration
	running  *write // in the transaction that runs
	open     openStreams
	held     longest
	// broken tells that the last write failed.
	broken atomic.Bool
}

var (
	_ chat.Store   = (*Store)(nil)
	_ memory.Store = (*Store)(nil)

	_ knowledge.Store = (*Store)(nil)
)

// Close ends every connection, after the transactions that run. The last one
// moves what is in the write-ahead log into the file.
func (s *Store) Close() error {
	return errors.Join(s.emptier.Close(), s.readers.Close(), s.writer.Close())
}

// Ping tells whether the store can be read and written. It waits for nobody who
// writes, and nobody waits for it: it writes only where the last write failed.
func (s *Store) Ping(ctx context.Context) error {
	var err error
	if s.broken.Load() {
		err = s.probe(ctx)
	} else {
		err = s.look(ctx)
	}
	return failed("ping", "the database", err)
}

func (s *Store) look(ctx context.Context) error {
	var tables int
	return s.readers.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables)
}

// probe reads and writes.
func (s *Store) probe(ctx context.Context) error {
	if err := s.look(ctx); err != nil {
		return err
	}
	return s.exec(ctx, `DELETE FROM events WHERE false`) // BEGIN alone passes on a file that is read-only
}

// errEndedMeanwhile is a stream that was open in the snapshot, and is no more.
var errEndedMeanwhile = errors.New("a stream ended meanwhile")

// readTries is more than anybody needs: with the next snapshot the stream has ended. Of a
// history with many that are open another one may have, each time.
const readTries = 100

// read runs do on one snapshot of the database, and on the next one where it gives
// errEndedMeanwhile.
func (s *Store) read(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
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
		return ctx.Err() // database/sql and SQLite have other words for it
	}
	return err
}

func transact(ctx context.Context, conn *sql.Conn, options *sql.TxOptions, do func(context.Context, *sql.Tx) error) error {
	tx, err := conn.BeginTx(ctx, options)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := do(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// failed says in err which operation failed on what.
func failed(operation, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlite: %s %s: %w", operation, what, err)
}

// collect scans every row and closes rows.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []T{}
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// someRow is sql.ErrNoRows where a statement changed no row.
func someRow(result sql.Result, err error) error {
	count, err := changed(result, err)
	if err == nil && count == 0 {
		return sql.ErrNoRows
	}
	return err
}

// touched is fault.ErrNotFound where a statement changed no row.
func touched(result sql.Result, err error) error { return orNotFound(someRow(result, err)) }

// longest is the longest time of several.
type longest struct{ nanoseconds atomic.Int64 }

func (l *longest) add(time time.Duration) {
	for {
		longest := l.nanoseconds.Load()
		if int64(time) <= longest || l.nanoseconds.CompareAndSwap(longest, int64(time)) {
			return
		}
	}
}

// Held gives the longest time that a transaction has held the writer since it
// was asked last.
func (s *Store) Held() time.Duration { return time.Duration(s.held.nanoseconds.Swap(0)) }

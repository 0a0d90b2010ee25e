// Package sqlite keeps chats, messages, streams, memories and documents in one SQLite file. Begin
// with Open.
//
// One connection writes, in BEGIN IMMEDIATE transactions, and a few others
// read, so a reader never waits for a writer (the file is in WAL mode). A
// transaction that was committed outlives a killed process; loss of power may
// take the last ones (synchronous is NORMAL).
//
// A write waits for its turn until its context ends. One that has begun is run
// to its end, which takes microseconds: an interrupted connection would have to
// be opened again.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
	appends appends
}

var (
	_ chat.Store   = (*Store)(nil)
	_ memory.Store = (*Store)(nil)

	_ knowledge.Store = (*Store)(nil)
)

// Close ends every connection, after the transactions that run. The last one
// moves what is in the write-ahead log into the file.
func (s *Store) Close() error {
	return errors.Join(s.readers.Close(), s.writer.Close())
}

// Ping tells whether the store can be read and written, after the writes that
// are waiting.
func (s *Store) Ping(ctx context.Context) error {
	return failed("ping", "the database", s.ping(ctx))
}

func (s *Store) ping(ctx context.Context) error {
	var tables int
	if err := s.readers.QueryRowContext(ctx, `SELECT count(*) FROM sqlite_schema`).Scan(&tables); err != nil {
		return err
	}
	return s.write(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM events WHERE false`) // BEGIN alone passes on a file that is read-only
		return err
	})
}

// write runs do in a transaction of the writer.
func (s *Store) write(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return transact(context.WithoutCancel(ctx), conn, nil, do)
}

// read runs do on one snapshot of the database.
func (s *Store) read(ctx context.Context, do func(context.Context, *sql.Tx) error) error {
	conn, err := s.readers.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	err = transact(ctx, conn, &sql.TxOptions{ReadOnly: true}, do)
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

// touched is chat.ErrNotFound where a statement found no row.
func touched(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if count, err := result.RowsAffected(); err != nil || count > 0 {
		return err
	}
	return chat.ErrNotFound
}

package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// session runs statements on a pool of connections or in a transaction.
type session struct{ in querier }

// querier is a pool or a transaction.
type querier interface {
	ExecContext(ctx context.Context, statement string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, statement string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, statement string, args ...any) *sql.Row
}

// now runs single statements, each on the current state.
func (s *Store) now() store.Session { return session{s.readers} }

// Exec implements store.Session.
func (s session) Exec(ctx context.Context, statement string, args ...any) (int64, error) {
	args, err := storable(args)
	if err != nil {
		return 0, err
	}
	result, err := s.in.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Row implements store.Session.
func (s session) Row(ctx context.Context, statement string, args ...any) store.Row {
	args, err := storable(args)
	if err != nil {
		return failedRow{err}
	}
	return s.in.QueryRowContext(ctx, statement, args...)
}

// failedRow is the row of a statement that could not run.
type failedRow struct{ err error }

// Scan implements store.Row.
func (r failedRow) Scan(...any) error { return r.err }

// Each implements store.Session.
func (s session) Each(ctx context.Context, do func(store.Row) (bool, error), statement string, args ...any) error {
	args, err := storable(args)
	if err != nil {
		return err
	}
	rows, err := s.in.QueryContext(ctx, statement, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if goOn, err := do(rows); err != nil || !goOn {
			return err
		}
	}
	return rows.Err()
}

// storable returns args with lists as SQLite's json_each reads them. It doesn't change args, which may be
// used again.
func storable(args []any) ([]any, error) {
	all := args
	for i, arg := range args {
		switch arg.(type) {
		case []string, []int64, [][]string, [][2]int64:
			text, err := json.Marshal(arg)
			if err != nil {
				return nil, err
			}
			if &all[0] == &args[0] {
				all = slices.Clone(args)
			}
			all[i] = string(text)
		}
	}
	return all, nil
}

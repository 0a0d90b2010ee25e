package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// session runs statements, within a transaction or each on its own. Strings go in and come out
// unchanged, even if PostgreSQL can't store them as they are: see text.go.
type session struct {
	in querier
	// within bounds each statement; 0 is for a transaction, which has its own bound.
	within time.Duration
}

// querier is a pool or a transaction.
type querier interface {
	Exec(ctx context.Context, statement string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, statement string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, statement string, args ...any) pgx.Row
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// run applies the time limit of a statement. If ctx has ended, the error is the context's own.
func (s session) run(ctx context.Context, do func(ctx context.Context) error) error {
	if s.within == 0 {
		return do(ctx)
	}
	within, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	return ended(ctx, do(within))
}

// Exec implements store.Session.
func (s session) Exec(ctx context.Context, statement string, args ...any) (changed int64, err error) {
	err = s.run(ctx, func(ctx context.Context) error {
		tag, err := s.in.Exec(ctx, statement, storable(args)...)
		changed = tag.RowsAffected()
		return err
	})
	return changed, err
}

// copyTo adds many rows to a table, within a transaction.
func copyTo(ctx context.Context, tx store.Session, table string, columns []string, count int, row func(i int) ([]any, error)) error {
	_, err := tx.(session).in.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(count, func(i int) ([]any, error) {
		values, err := row(i)
		return storable(values), err
	}))
	return err
}

// Row implements store.Session.
func (s session) Row(ctx context.Context, statement string, args ...any) store.Row {
	return query{s, ctx, statement, args}
}

// query is a statement that runs when its first row is scanned.
type query struct {
	in        session
	ctx       context.Context
	statement string
	args      []any
}

// Scan implements store.Row.
func (q query) Scan(to ...any) error {
	return q.in.run(q.ctx, func(ctx context.Context) error {
		return row{q.in.in.QueryRow(ctx, q.statement, storable(q.args)...)}.Scan(to...)
	})
}

// row is a row of pgx.
type row struct{ of store.Row }

// Scan returns strings as they were before they were stored.
func (r row) Scan(to ...any) error {
	if err := r.of.Scan(to...); err != nil {
		return err
	}
	restore(to)
	return nil
}

// Each implements store.Session.
func (s session) Each(ctx context.Context, do func(store.Row) (bool, error), statement string, args ...any) error {
	return s.run(ctx, func(ctx context.Context) error {
		rows, err := s.in.Query(ctx, statement, storable(args)...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			if goOn, err := do(row{rows}); err != nil || !goOn {
				return err
			}
		}
		return rows.Err()
	})
}

package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
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

// bound applies the time limit of a statement.
func (s session) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.within == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.within)
}

// scanner is a row of a result.
type scanner interface{ Scan(to ...any) error }

// exec returns how many rows the statement changed.
func (s session) exec(ctx context.Context, statement string, args ...any) (int64, error) {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	tag, err := s.in.Exec(ctx, statement, storable(args)...)
	return tag.RowsAffected(), err
}

// execAll runs statements with the same arguments.
func (s session) execAll(ctx context.Context, statements []string, args ...any) error {
	for _, statement := range statements {
		if _, err := s.exec(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// copy adds many rows to a table.
func (s session) copy(ctx context.Context, table string, columns []string, count int, row func(i int) ([]any, error)) error {
	_, err := s.in.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(count, func(i int) ([]any, error) {
		values, err := row(i)
		return storable(values), err
	}))
	return err
}

// row returns the first row; if there is none, its Scan returns pgx.ErrNoRows.
func (s session) row(ctx context.Context, statement string, args ...any) scanner {
	ctx, cancel := s.bound(ctx)
	return row{s.in.QueryRow(ctx, statement, storable(args)...), cancel}
}

type row struct {
	of   scanner
	done context.CancelFunc
}

// Scan returns strings as they were before they were stored.
func (r row) Scan(to ...any) error {
	defer r.done()
	if err := r.of.Scan(to...); err != nil {
		return err
	}
	restore(to)
	return nil
}

// each calls do with every row until it returns false or an error.
func (s session) each(ctx context.Context, do func(scanner) (bool, error), statement string, args ...any) error {
	ctx, cancel := s.bound(ctx)
	defer cancel()
	rows, err := s.in.Query(ctx, statement, storable(args)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if goOn, err := do(row{rows, func() {}}); err != nil || !goOn {
			return err
		}
	}
	return rows.Err()
}

// collect scans every row.
func collect[T any](ctx context.Context, s session, scan func(scanner) (T, error), statement string, args ...any) ([]T, error) {
	all := []T{}
	err := s.each(ctx, func(row scanner) (bool, error) {
		one, err := scan(row)
		all = append(all, one)
		return true, err
	}, statement, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

func scanNumber(row scanner) (number int64, err error) {
	err = row.Scan(&number)
	return number, err
}

func scanText(row scanner) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

// someRow returns pgx.ErrNoRows if a statement changed no row.
func someRow(changed int64, err error) error {
	if err == nil && changed == 0 {
		return pgx.ErrNoRows
	}
	return err
}

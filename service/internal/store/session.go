package store

import (
	"context"
	"database/sql"
	"errors"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Session runs statements, within a transaction or each on its own. Parameters are $1, $2 and so on. A
// []string is one parameter: see Dialect.In.
type Session interface {
	// Exec returns how many rows the statement changed.
	Exec(ctx context.Context, statement string, args ...any) (int64, error)
	// Row returns the first row. If there is none, its Scan returns sql.ErrNoRows or an error that wraps it.
	Row(ctx context.Context, statement string, args ...any) Row
	// Each calls do with every row until it returns false or an error.
	Each(ctx context.Context, do func(Row) (bool, error), statement string, args ...any) error
}

// Row is a row of a result.
type Row interface{ Scan(to ...any) error }

// Collect scans every row.
func Collect[T any](ctx context.Context, in Session, scan func(Row) (T, error), statement string, args ...any) ([]T, error) {
	all := []T{}
	err := in.Each(ctx, func(row Row) (bool, error) {
		one, err := scan(row)
		all = append(all, one)
		return true, err
	}, statement, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

// First scans the first row. If there is none, the error is fault.ErrNotFound.
func First[T any](ctx context.Context, in Session, scan func(Row) (T, error), statement string, args ...any) (T, error) {
	one, err := scan(in.Row(ctx, statement, args...))
	if err != nil {
		return *new(T), OrNotFound(err)
	}
	return one, nil
}

// ExecAll runs statements with the same arguments.
func ExecAll(ctx context.Context, in Session, statements []string, args ...any) error {
	for _, statement := range statements {
		if _, err := in.Exec(ctx, statement, args...); err != nil {
			return err
		}
	}
	return nil
}

// Exec runs a statement in its own transaction.
func Exec(ctx context.Context, write func(context.Context, func(context.Context, Session) error) error, statement string, args ...any) error {
	return write(ctx, func(ctx context.Context, tx Session) error {
		_, err := tx.Exec(ctx, statement, args...)
		return err
	})
}

// ScanText scans a row of one text.
func ScanText(row Row) (text string, err error) {
	err = row.Scan(&text)
	return text, err
}

// ScanNumber scans a row of one number.
func ScanNumber(row Row) (number int64, err error) {
	err = row.Scan(&number)
	return number, err
}

// SomeRow returns sql.ErrNoRows if a statement changed no row.
func SomeRow(changed int64, err error) error {
	if err == nil && changed == 0 {
		return sql.ErrNoRows
	}
	return err
}

// Touched returns fault.ErrNotFound if a statement changed no row.
func Touched(changed int64, err error) error { return OrNotFound(SomeRow(changed, err)) }

// OrNotFound returns fault.ErrNotFound if there was no row.
func OrNotFound(err error) error { return OrElse(err, fault.ErrNotFound) }

// OrElse returns another error if there was no row.
func OrElse(err, noRow error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return noRow
	}
	return err
}

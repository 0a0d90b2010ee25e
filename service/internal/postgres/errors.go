package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var errStandby = errors.New("the database is a standby, which can't be written; name the primary")

// failed adds to err which operation failed on what. If the database can't be reached, the client
// is told so.
func failed(operation, what string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("postgres: %s %s: %w", operation, what, err)
	if IsUnavailable(err) {
		return &fault.Error{
			Code: wire.CodeUnavailable, Message: "The database can't be reached; try again in a moment", RetryAfter: retryAfter, Cause: err,
		}
	}
	return err
}

// retryAfter is how long to wait before a retry if the database can't be reached.
const retryAfter = 2 * time.Second

// ended returns the context's own error if it has ended, instead of pgx's error.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

func orElse(err, notFound error) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return notFound
	}
	return err
}

// orNotFound returns fault.ErrNotFound if there was no row.
func orNotFound(err error) error { return orElse(err, fault.ErrNotFound) }

// The codes are listed at https://www.postgresql.org/docs/current/errcodes-appendix.html.

// code returns the code of an error that PostgreSQL returned, else empty.
func code(err error) string {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Code
}

// gaveWay reports whether a transaction was rolled back in favour of another one.
func gaveWay(err error) bool {
	switch code(err) {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return true
	}
	return false
}

// IsUnavailable reports whether an error says that the database can't be reached now: the same
// operation may succeed later. If a commit failed in the middle, it is not known whether its data
// was stored.
func IsUnavailable(err error) bool {
	switch text := code(err); {
	case strings.HasPrefix(text, "57P0"): // the server shuts down, crashed or starts
		return true
	case strings.HasPrefix(text, "08"), strings.HasPrefix(text, "53"): // connections; disk, memory or too many connections
		return true
	case text == "25006": // a primary that has become a standby
		return true
	case text != "":
		return gaveWay(err)
	}
	var network net.Error
	var connecting *pgconn.ConnectError
	for _, sign := range []any{&network, &connecting} {
		if errors.As(err, sign) {
			return true
		}
	}
	for _, sign := range []error{io.EOF, io.ErrUnexpectedEOF, pgconn.ErrConnClosed, errStandby} {
		if errors.Is(err, sign) {
			return true
		}
	}
	return pgconn.SafeToRetry(err)
}

package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var errStandby = errors.New("the database is a standby, which can't be written; name the primary")

// failed says in err which operation failed on what.
func failed(operation, what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("postgres: %s %s: %w", operation, what, err)
}

// ended is the context's own error where it has ended: pgx has other words for it.
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

// found is chat.ErrNotFound where there was no row; known and knownDocument are the same
// of memories and documents.
func found(err error) error { return orElse(err, chat.ErrNotFound) }

func known(err error) error { return orElse(err, memory.ErrNotFound) }

func knownDocument(err error) error { return orElse(err, knowledge.ErrNotFound) }

// The codes stand in https://www.postgresql.org/docs/current/errcodes-appendix.html.

// code is that of an error that PostgreSQL gave, else empty.
func code(err error) string {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Code
}

// gaveWay tells whether a transaction was broken off in favour of another one.
func gaveWay(err error) bool {
	switch code(err) {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return true
	}
	return false
}

// IsUnavailable tells whether an error says that the database can't be reached now: the
// same may succeed later. Whether what failed in the middle of its commit was stored isn't
// known.
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

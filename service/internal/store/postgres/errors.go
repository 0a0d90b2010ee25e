package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

var errStandby = errors.New("the database is a standby or read-only; name the primary")

// errLocked says that a transaction of somebody else has locked what is to be changed.
var errLocked = errors.New("it is locked")

// failed adds to err which operation failed on what. If the same operation may succeed later, the
// client is told so, and what is in the way.
func failed(operation, what string, err error) error {
	if err == nil {
		return nil
	}
	err = fmt.Errorf("postgres: %s %s: %w", operation, what, err)
	if why := unavailable(err); why != "" {
		return &fault.Error{Code: wire.CodeUnavailable, Message: why + "; try again in a moment", RetryAfter: retryAfter, Cause: err, Shared: true}
	}
	return err
}

// retryAfter is how long to wait before a retry if the database can't be used.
const retryAfter = 2 * time.Second

// ended returns the context's own error if it has ended, instead of pgx's error.
func ended(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// The codes are listed at https://www.postgresql.org/docs/current/errcodes-appendix.html.

// code returns the code of an error that PostgreSQL returned, else empty.
func code(err error) string {
	var failure *pgconn.PgError
	if !errors.As(err, &failure) {
		return ""
	}
	return failure.Code
}

// lockNotAvailable is the code of a statement that waited for a lock longer than lock_timeout.
const lockNotAvailable = "55P03"

// gaveWay reports whether a transaction was rolled back in favour of another one.
func gaveWay(err error) bool {
	switch code(err) {
	case "40001", "40P01": // serialization_failure, deadlock_detected
		return true
	}
	return false
}

// What clients are told about a database that can't be used now.
const (
	away     = "The database can't be reached"
	refused  = "The database refuses the service's login"
	full     = "The disk of the database is full"
	crowded  = "The database has no room for this now: memory or connections are used up"
	late     = "The database took too long: it is busy, or others hold its locks"
	standby  = "The database can't be written: it is a standby or read-only"
	diskFail = "The database can't use its disk"
)

// causes are the codes, and the classes of codes, that say that the same statement may succeed later.
var causes = map[string]string{
	"08": away, // connections
	"57": away, // an operator: the server shuts down, crashed or starts
	"28": refused,
	"53": crowded, "53100": full,
	"57014": late, lockNotAvailable: late, "25P03": late, "25P04": late, // statement, lock, idle transaction, whole transaction
	"40001": late, "40P01": late, // other transactions went first
	"25006": standby,
	"58":    diskFail, // errors of the server's system
}

// unavailable returns a sentence about why the database can't be used now, if the same operation
// may succeed later; else empty. If a commit failed in the middle, it is not known whether its data
// was stored.
func unavailable(err error) string {
	text := code(err)
	if len(text) == 5 {
		if why := cmp.Or(causes[text], causes[text[:2]]); why != "" {
			return why
		}
	}
	var network net.Error
	var connecting *pgconn.ConnectError // whatever the server said: other requests have worked
	if errors.As(err, &connecting) {
		return away
	}
	if text != "" {
		return ""
	}
	switch {
	case errors.Is(err, errStandby):
		return standby
	case errors.Is(err, errLocked):
		return late
	case errors.Is(err, context.DeadlineExceeded): // of this package: there was no connection or no answer in time
		return late
	}
	for _, sign := range []error{io.EOF, io.ErrUnexpectedEOF, pgconn.ErrConnClosed} {
		if errors.Is(err, sign) {
			return away
		}
	}
	if errors.As(err, &network) || pgconn.SafeToRetry(err) {
		return away
	}
	return ""
}

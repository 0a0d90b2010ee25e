package sqlite

import (
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// failed adds to err which operation failed on what. If SQLite can't use its files, the client is
// told so, and why.
func failed(operation, what string, err error) error {
	if err == nil {
		return nil
	}
	return told(fmt.Errorf("sqlite: %s %s: %w", operation, what, err))
}

// retryAfter is how long to wait before a retry if the database can't be used.
const retryAfter = 2 * time.Second

// unavailable are SQLite's results that say that the same operation may succeed later, and what a
// client is told (https://www.sqlite.org/rescode.html).
var unavailable = map[int]string{
	codes.SQLITE_BUSY:     "The database is locked by another program",
	codes.SQLITE_LOCKED:   "The database is locked by another program",
	codes.SQLITE_PROTOCOL: "The database is locked by another program",
	codes.SQLITE_FULL:     "The disk of the database is full",
	codes.SQLITE_IOERR:    "The database can't use its disk, which may be full",
	codes.SQLITE_CANTOPEN: "The files of the database can't be opened",
	codes.SQLITE_READONLY: "The database can't be written: its file is read-only",
	codes.SQLITE_PERM:     "The database can't be written: its file is read-only",
	codes.SQLITE_NOMEM:    "The database has no memory for this now",
}

// told adds to an error of SQLite what the client is told, unless the error says so already. The
// client of a damaged database need not try again.
func told(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	switch result := resultOf(err); {
	case unavailable[result] != "":
		return &fault.Error{Code: wire.CodeUnavailable, Message: unavailable[result] + "; try again in a moment", RetryAfter: retryAfter, Cause: err, Shared: true}
	case result == codes.SQLITE_CORRUPT, result == codes.SQLITE_NOTADB:
		return &fault.Error{Code: wire.CodeInternal, Message: "The database is damaged; its operator must restore it", Cause: err, Shared: true}
	}
	return err
}

// resultOf returns the result of SQLite in an error, without its details; 0 if there is none.
func resultOf(err error) int {
	var failure *sqlite.Error
	if !errors.As(err, &failure) {
		return 0
	}
	return failure.Code() & 0xff
}

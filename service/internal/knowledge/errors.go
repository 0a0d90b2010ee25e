package knowledge

import (
	"errors"
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// ErrNotFound is a document that does not exist for this caller, for whatever
// reason.
var ErrNotFound = errors.New("not found")

// Error is a refusal that the caller is told about.
type Error struct {
	// Code is wire.CodeValidation, wire.CodePayloadTooLarge,
	// wire.CodeQuotaExceeded or wire.CodePermissionDenied.
	Code string
	// Message is a sentence for people: nobody's words.
	Message string
	// Fields names the fields of the request that were wrong.
	Fields []string
	// RetryAfter is when to try again, 0 for unknown.
	RetryAfter time.Duration
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func invalid(field, format string, args ...any) *Error {
	return &Error{Code: wire.CodeValidation, Message: fmt.Sprintf(format, args...), Fields: []string{field}}
}

// TooLarge is the refusal of a file that has more bytes than limit.
func TooLarge(limit int64) *Error {
	return &Error{
		Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("file is too large, want at most %d bytes: upload it in parts", limit),
		Fields: []string{wire.FieldFile},
	}
}

// totalDelay is when to try again what goes over a total. It is longer than any
// client waits by itself, since waiting doesn't help.
const totalDelay = time.Hour

// TooManyDocuments refuses a document of a user who has limit of them already.
func TooManyDocuments(limit int) *Error {
	return overTotal("There are %d documents already, which is as many as a user may have: delete some first", limit)
}

// TooManyBytes refuses a file that would bring a user's documents over limit bytes.
func TooManyBytes(limit int) *Error {
	return overTotal("With this file your documents would have more than %d bytes, which is as many as a user may have: delete some first", limit)
}

func overTotal(format string, limit int) *Error {
	return &Error{Code: wire.CodeQuotaExceeded, Message: fmt.Sprintf(format, limit), RetryAfter: totalDelay}
}

var errProjects = &Error{Code: wire.CodePermissionDenied, Message: "Only administrators may delete what belongs to the project"}

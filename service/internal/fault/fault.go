// Package fault has the errors that callers of the service are told about. Begin
// with Error; Of tells what a caller hears of any error.
package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

var (
	// ErrNotFound is a thing that does not exist for this caller, for whatever reason.
	// NotFound says which thing; every error that it makes is ErrNotFound too.
	ErrNotFound = &Error{Code: wire.CodeNotFound, Message: "Not found"}
	// ErrInternal is all that the caller is told of an error that nobody expected.
	ErrInternal = &Error{Code: wire.CodeInternal, Message: "The service failed; its log has the reason under the request id"}

	errBroken = &Error{Code: wire.CodeUnavailable, Message: "The request was broken off; send it again"}
)

// Error is a refusal or a failure that the caller is told about.
type Error struct {
	// Code is one of the Code constants of package wire.
	Code string
	// Message is a sentence for people: no secrets, nobody's words.
	Message string
	// Fields names the fields of the request that were wrong.
	Fields []string
	// RetryAfter is when to try again, 0 for unknown.
	RetryAfter time.Duration
	// Detail goes to the caller alone, never to the log: it may hold the text of
	// an answer.
	Detail string
	// ProviderStatus is the status that the model's provider answered with, 0 if it
	// was no refusal of a provider. It does not go to the caller.
	ProviderStatus int
	// Cause goes to the log, never to the caller.
	Cause error
}

// Error gives the code and the message.
func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is tells that what was not found is ErrNotFound.
func (e *Error) Is(target error) bool {
	return target == error(ErrNotFound) && e.Code == wire.CodeNotFound
}

// NotFound says what was not found and which field named it. It says no more, so that
// nobody can tell somebody else's thing from one that does not exist.
func NotFound(thing, field string) *Error {
	return &Error{Code: wire.CodeNotFound, Message: thing + " not found", Fields: []string{field}}
}

// Invalid refuses a field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: wire.CodeValidation, Message: fmt.Sprintf(format, args...), Fields: []string{field}}
}

// IsUnavailable tells that something that the service needs could not be reached: what
// failed may succeed in a moment. It may also have been done, unknown to who asked.
func IsUnavailable(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Code == wire.CodeUnavailable
}

// Of is what the caller is told of an error.
func Of(err error) *Error {
	var known *Error
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errBroken
	}
	return ErrInternal
}

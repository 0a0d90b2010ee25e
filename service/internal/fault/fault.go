// Package fault has the errors that clients of the service may see. Begin with Error. Of returns
// what a client sees of any error.
package fault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

var (
	// ErrNotFound says that something does not exist for this caller, for whatever reason.
	// NotFound makes errors that say what was not found; errors.Is finds ErrNotFound in them.
	ErrNotFound = &Error{Code: wire.CodeNotFound, Message: "Not found"}
	// ErrInternal is all that clients see of an unexpected error.
	ErrInternal = &Error{Code: wire.CodeInternal, Message: "The service failed; its log has the cause under the request id"}

	errBroken = &Error{Code: wire.CodeUnavailable, Message: "The request was interrupted; send it again", RetryAfter: time.Second}
)

// Error is a refusal or a failure that the client is told about.
type Error struct {
	// Code is one of the Code constants of package wire.
	Code string
	// Message is a sentence for people, without secrets and without text that a user wrote.
	Message string
	// Reason says more of a failure of a model's provider, with one of package wire's Provider constants.
	Reason string
	// Fields are the names of the wrong fields of the request.
	Fields []string
	// RetryAfter is how long to wait before another try, 0 if unknown.
	RetryAfter time.Duration
	// Detail is only for the client, never for the log: it may hold the text of an answer.
	Detail string
	// ProviderStatus is the HTTP status with which the model's provider refused, 0 if it did not.
	// Clients don't see it.
	ProviderStatus int
	// Cause is only for the log, never for the client.
	Cause error
	// Shared says that everything fails for the same cause now, which Message names. The log then has
	// a count instead of each failure.
	Shared bool
}

// Error returns the code, the message and the cause.
func (e *Error) Error() string {
	text := e.Code + ": " + e.Message
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Is makes every error with the code of ErrNotFound match it.
func (e *Error) Is(target error) bool {
	return target == error(ErrNotFound) && e.Code == wire.CodeNotFound
}

// NotFound says what was not found and which field named it. It says no more, so that nobody can
// distinguish a thing of somebody else from one that does not exist.
func NotFound(thing, field string) *Error {
	return &Error{Code: wire.CodeNotFound, Message: thing + " not found", Fields: []string{field}}
}

// Invalid refuses a field.
func Invalid(field, format string, args ...any) *Error {
	return &Error{Code: wire.CodeValidation, Message: fmt.Sprintf(format, args...), Fields: []string{field}}
}

// IsUnavailable reports whether the service could not reach something that it needs. A retry may
// succeed soon. The failed operation may also have been done without a reply.
func IsUnavailable(err error) bool {
	var known *Error
	return errors.As(err, &known) && known.Code == wire.CodeUnavailable
}

// Shared returns the Message of the Error in err that is shared; empty if there is none.
func Shared(err error) string {
	for {
		var known *Error
		if !errors.As(err, &known) {
			return ""
		}
		if known.Shared {
			return known.Message
		}
		err = known.Cause
	}
}

// Of returns what the client sees of an error.
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

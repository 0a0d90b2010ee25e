package memory

import (
	"errors"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// ErrNotFound is a memory, a user's memories or an agent that does not exist
// for this caller, for whatever reason.
var ErrNotFound = errors.New("not found")

// ErrNoAgent is an agent that does not exist for this caller.
var ErrNoAgent = fmt.Errorf("agent: %w", ErrNotFound)

// Error is a refusal that the caller is told about.
type Error struct {
	// Code is wire.CodeValidation, wire.CodePermissionDenied or wire.CodeConflict.
	Code string
	// Message is a sentence for people: nobody's words.
	Message string
	// Fields names the fields of the request that were wrong.
	Fields []string
}

// Error gives the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

func invalid(field, format string, args ...any) *Error {
	return &Error{Code: wire.CodeValidation, Message: fmt.Sprintf(format, args...), Fields: []string{field}}
}

// errDecided is the end of whoever comes second, or late.
var errDecided = &Error{Code: wire.CodeConflict, Message: "The memory is already decided"}

var (
	errOtherUser = &Error{Code: wire.CodePermissionDenied, Message: "Only administrators may name another user", Fields: []string{"user_id"}}
	errSettings  = &Error{Code: wire.CodePermissionDenied, Message: "Only administrators may change the settings of an agent"}
)

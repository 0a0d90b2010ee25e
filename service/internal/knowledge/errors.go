package knowledge

import (
	"errors"
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// ErrNotFound is a document that does not exist for this caller, for whatever
// reason.
var ErrNotFound = errors.New("not found")

// Error is a refusal that the caller is told about.
type Error struct {
	// Code is wire.CodeValidation, wire.CodePayloadTooLarge or
	// wire.CodePermissionDenied.
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

// TooLarge is the refusal of a file that has more bytes than limit.
func TooLarge(limit int64) *Error {
	return &Error{
		Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("file is too large, want at most %d bytes: upload it in parts", limit),
		Fields: []string{wire.FieldFile},
	}
}

var errProjects = &Error{Code: wire.CodePermissionDenied, Message: "Only administrators may delete what belongs to the project"}

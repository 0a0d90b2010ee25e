package chat

import (
	"errors"
	"fmt"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// ErrNotFound is a thing that does not exist for this caller.
var ErrNotFound = errors.New("not found")

// ErrNoMessage is a message that does not exist in a chat that does.
var ErrNoMessage = fmt.Errorf("message: %w", ErrNotFound)

// ErrNotAnswer is a rating of a message that is no answer.
var ErrNotAnswer = errors.New("feedback belongs to answers, and this message is a question")

// ErrNoSuchMessage is a page of a history before a message that isn't there.
var ErrNoSuchMessage = &Error{Code: wire.CodeValidation, Message: "before is no message of this chat", Fields: []string{"before"}}

// ErrNotLast is an answer that cannot be regenerated now.
var ErrNotLast = &Error{
	Code:    wire.CodeConflict,
	Message: "Only the last answer of a chat can be regenerated, when it has ended and is not being regenerated already",
	Fields:  []string{"message_id"},
}

// totalDelay is when to try again what goes over a total. Waiting doesn't help:
// it is longer than any client waits by itself.
const totalDelay = time.Hour

// TooManyChats is the refusal of a chat more than limit.
func TooManyChats(limit int) *Error {
	return &Error{
		Code: wire.CodeQuotaExceeded, Message: fmt.Sprintf("There are %d chats already, which is as many as a user may have: delete some first", limit),
		RetryAfter: totalDelay,
	}
}

// TooManyStreams is the refusal of an answer more than a user may have written at once.
func TooManyStreams() *Error {
	return &Error{Code: wire.CodeQuotaExceeded, Message: "Too many answers are being written at once; wait for one to end", RetryAfter: time.Second}
}

// TooManySends is the refusal of a message more than a user may send in a minute.
func TooManySends(wait time.Duration) *Error {
	return &Error{Code: wire.CodeRateLimited, Message: "Too many messages in a minute; wait before sending more", RetryAfter: wait}
}

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

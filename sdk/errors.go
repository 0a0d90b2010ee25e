package sdk

import (
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// APIError is a failure of a call: an error that the service answered, or no
// whole answer at all.
type APIError struct {
	// Message says what failed and, where it is known, what to do.
	Message string
	// Status is the HTTP status, 0 when there was no response.
	Status int
	// Detail is what the server said beyond the message, often empty.
	Detail string
	// Code is one of the Code constants of package wire, empty if the server
	// gave none.
	Code string
	// InvalidFields names the fields of the request that were wrong.
	InvalidFields []string
	// RequestID finds the request in the service's log; empty without response.
	RequestID string
	// RetryAfter is when the service wants to be asked again, 0 for unknown.
	RetryAfter time.Duration
	// Partial is what had come of an answer when its stream failed.
	Partial string
	// Cause is the error beneath, nil for none.
	Cause error
}

// Error gives the message with the status and the code.
func (e *APIError) Error() string {
	text := e.Message
	if e.Status > 0 {
		text += " (" + strconv.Itoa(e.Status)
		if e.Code != "" {
			text += " " + e.Code
		}
		text += ")"
	} else if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// Unwrap gives the cause.
func (e *APIError) Unwrap() error { return e.Cause }

// ArgumentError is a wrong argument or setting. Nothing was sent.
type ArgumentError struct {
	// Operation is the call, named as in JavaScript: "listChats".
	Operation string
	// Field is the argument, named as in JavaScript: "limit".
	Field string
	// Problem is what is wrong and what is wanted: "is 101, want 1 to 100".
	Problem string
}

// Error gives the three in one sentence.
func (e *ArgumentError) Error() string {
	return e.Operation + ": " + e.Field + " " + e.Problem
}

// wrong makes an ArgumentError. A literal at each place would cost a page 2 KB.
func wrong(operation, field, problem string) error {
	return &ArgumentError{operation, field, problem}
}

// failed makes the APIError of a call without a whole response.
func failed(message, code string, cause error) *APIError {
	return &APIError{Message: message, Code: code, Cause: cause}
}

// network is the failure of a call that got no response or lost it.
func (c *Client) network(operation string, cause error) *APIError {
	message := operation + ": " + c.base + " could not be reached, or the connection was lost"
	if c.config.PageOrigin != "" {
		message += "; if it runs, its ALLOWED_ORIGINS must list " + c.config.PageOrigin
	}
	return failed(message, wire.CodeNetwork, cause)
}

// cut is the failure of a stream that closed before its end.
func cut(operation string, cause error) *APIError {
	return failed(operation+": the stream was cut before the answer was complete", wire.CodeStreamCut, cause)
}

// because puts a text before an error, as fmt.Errorf does with %w. fmt would cost a page 60 KB.
func because(text string, cause error) error { return &reason{text, cause} }

type reason struct {
	text  string
	cause error
}

func (r *reason) Error() string { return r.text + ": " + r.cause.Error() }
func (r *reason) Unwrap() error { return r.cause }

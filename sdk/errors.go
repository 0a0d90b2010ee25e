package sdk

import (
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// APIError is a failure of a call: the service answered with an error, or did not answer completely.
type APIError struct {
	// Message says what failed, for people.
	Message string
	// Status is the HTTP status, 0 if there was no response.
	Status int
	// Detail has more about the failure, from the service. It is often empty.
	Detail string
	// Code is one of the Code constants of package wire. Empty if the server gave none.
	Code string
	// InvalidFields are the names of the request's fields that were wrong.
	InvalidFields []string
	// Reason says more of a failure of a model's provider, with one of the Provider constants of package wire. It is
	// often empty.
	Reason string
	// RequestID finds the request in the service's log. Empty if there was no response.
	RequestID string
	// RetryAfter is how long to wait before the next try, as the service asks. 0 if unknown.
	RetryAfter time.Duration
	// Partial is the text of the answer that was read before its stream failed.
	Partial string
	// Advice is a sentence for the developer: what may have to be set up. It is often empty.
	Advice string
	// Cause is the underlying error, or nil.
	Cause error
}

// Error returns the message with the status and the code.
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

// Unwrap returns the cause.
func (e *APIError) Unwrap() error { return e.Cause }

// ArgumentError reports a wrong argument or setting. Nothing was sent.
type ArgumentError struct {
	// Operation is the name of the call in JavaScript: "listChats".
	Operation string
	// Field is the name of the argument in JavaScript: "limit".
	Field string
	// Problem says what is wrong and what is allowed: "is 101, want 1 to 100".
	Problem string
}

// Error returns the three fields as one sentence.
func (e *ArgumentError) Error() string {
	return e.Operation + ": " + e.Field + " " + e.Problem
}

// wrong returns an ArgumentError. A literal at each place would add 2 KB to the wasm.
func wrong(operation, field, problem string) error {
	return &ArgumentError{operation, field, problem}
}

// failed returns the APIError of a call without a whole response.
func failed(message, code string, cause error) *APIError {
	return &APIError{Message: message, Code: code, Cause: cause}
}

// cut is the failure of a stream that closed before its end.
func cut(operation string, cause error) *APIError {
	return failed(operation+": the stream was cut before the answer was complete", wire.CodeStreamCut, cause)
}

// because puts a text before an error, as fmt.Errorf does with %w. fmt would add 60 KB to the wasm.
func because(text string, cause error) error { return &reason{text, cause} }

type reason struct {
	text  string
	cause error
}

func (r *reason) Error() string { return r.text + ": " + r.cause.Error() }
func (r *reason) Unwrap() error { return r.cause }

// network is the failure of a call that got no response, or lost its connection.
func (c *Client) network(operation string, cause error) *APIError {
	failure := failed(operation+": "+c.base+" could not be reached, or the connection was lost", wire.CodeNetwork, cause)
	if c.config.PageOrigin != "" {
		failure.Advice = c.base + ": if it runs, its ALLOWED_ORIGINS must list " + c.config.PageOrigin
		if c.config.APIKey != "" {
			failure.Advice += ", and its ALLOWED_HEADERS x-api-key, x-api-secret, x-user-id: else browsers may not send keys from another origin"
		}
		if len(c.config.Headers) > 0 {
			failure.Advice += ", and its ALLOWED_HEADERS all names in headers"
		}
	}
	return failure
}

// checkID refuses texts that cannot be an id: the empty text, and the path segments that every URL
// parser removes.
func checkID(operation, field, id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return wrong(operation, field, "is empty")
	case id == "." || id == "..":
		return wrong(operation, field, "is "+id+", which cannot be an id")
	}
	return nil
}

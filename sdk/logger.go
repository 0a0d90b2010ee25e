package sdk

import (
	"context"
	"errors"
	"strings"
	"time"
)

// LogEntry describes one request. It has no credentials, no text of a conversation, and only the
// path of the address.
type LogEntry struct {
	// Operation is the name of the call in JavaScript: "listChats".
	Operation string
	Method    string
	// Path is the path of the address, with its ids.
	Path string
	// Status is the HTTP status, 0 if there was no response.
	Status int
	// Code is the code of the APIError, empty after a success.
	Code string
	// RequestID finds the request in the service's log.
	RequestID string
	// Duration is the time until the headers arrived.
	Duration time.Duration
}

func (c *Client) log(ctx context.Context, operation string, request *Request, response *Response, err error, begun time.Time) {
	own := callOptions(ctx).Logger
	if c.config.Logger == nil && own == nil {
		return
	}
	entry := LogEntry{Operation: operation, Method: request.Method, Path: path(request.URL), Duration: time.Since(begun)}
	if response != nil {
		entry.Status, entry.RequestID = response.Status, response.Header("x-request-id")
	}
	if failure, ok := errors.AsType[*APIError](err); ok {
		entry.Code = failure.Code
	}
	for _, logger := range [...]func(LogEntry){c.config.Logger, own} {
		if logger != nil {
			logger(entry)
		}
	}
}

// path returns the path of an absolute address, without the query.
func path(address string) string {
	address, _, _ = strings.Cut(address, "?")
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

package sdk

import (
	"errors"
	"strings"
	"time"
)

// LogEntry tells of one request. It holds no credentials and nobody's words,
// and of the address the path alone.
type LogEntry struct {
	// Operation is the call, named as in JavaScript: "listChats".
	Operation string
	Method    string
	// Path is the address's path, which holds ids.
	Path string
	// Status is the HTTP status, 0 for no response.
	Status int
	// Code is the code of the APIError, empty for a success.
	Code string
	// RequestID finds the request in the service's log.
	RequestID string
	// Duration is the time until the headers came.
	Duration time.Duration
}

func (c *Client) log(operation string, request *Request, response *Response, err error, begun time.Time) {
	if c.config.Logger == nil {
		return
	}
	entry := LogEntry{Operation: operation, Method: request.Method, Path: path(request.URL), Duration: time.Since(begun)}
	if response != nil {
		entry.Status, entry.RequestID = response.Status, response.Header("x-request-id")
	}
	if failure, ok := errors.AsType[*APIError](err); ok {
		entry.Code = failure.Code
	}
	c.config.Logger(entry)
}

// path is the path of an absolute address, without its query.
func path(address string) string {
	address, _, _ = strings.Cut(address, "?")
	_, rest, _ := strings.Cut(address, "://")
	_, rest, _ = strings.Cut(rest, "/")
	return "/" + rest
}

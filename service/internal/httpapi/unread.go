package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Package net/http itself refuses what it can't read as a request, in plain text and past every handler:
// it writes its answer to the connection. headConn replaces that answer by one in the shape of all
// errors.

type connKey struct{}

// withConn puts a connection into the context of its requests.
func withConn(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// noting serves with handler, and notes for the connection that what it writes is from then on the
// handler's answer.
func noting(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if conn, ok := r.Context().Value(connKey{}).(*headConn); ok {
			conn.answering.Store(true)
		}
		handler.ServeHTTP(w, r)
	})
}

// Write writes an answer, or what replaces a refusal of package net/http.
func (c *headConn) Write(text []byte) (int, error) {
	status := refusalIn(text)
	if status == 0 || c.answering.Load() {
		return c.Conn.Write(text)
	}
	id := newRequestID()
	answer := unreadAnswer(status, id, reasonIn(text), time.Now())
	c.refused(id, status, len(answer))
	if _, err := c.Conn.Write(answer); err != nil {
		return 0, err
	}
	return len(text), nil
}

const firstOfAnswer = "HTTP/1.1 "

// refusalIn returns the status if a text begins an answer with an error, otherwise 0.
func refusalIn(text []byte) int {
	rest, found := bytes.CutPrefix(text, []byte(firstOfAnswer))
	if !found || len(rest) < 3 {
		return 0
	}
	status, err := strconv.Atoi(string(rest[:3]))
	if err != nil || status < http.StatusBadRequest {
		return 0
	}
	return status
}

// reasonIn returns why net/http refuses. It is a fixed text, which has nothing of the request.
func reasonIn(text []byte) string {
	line, _, _ := strings.Cut(string(text), "\r\n")
	_, reason, _ := strings.Cut(line, ": ")
	return reason
}

// unreadAnswer is the answer to a request that could not be read.
func unreadAnswer(status int, id, reason string, now time.Time) []byte {
	info := wire.ErrorInfo{Code: wire.CodeValidation, Message: "The request cannot be read: its first line or a header is not valid HTTP"}
	switch {
	case status == http.StatusRequestHeaderFieldsTooLarge:
		info = wire.ErrorInfo{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("The head of the request is too large, want at most %d bytes", headerBytes)}
	case status == http.StatusExpectationFailed:
		info.Message = "The request expects something else than 100-continue"
	case status == http.StatusNotImplemented:
		info.Message = "The request has a transfer-encoding other than chunked"
	case reason != "":
		info.Message = "The request cannot be read: " + reason
	}
	body := encodeJSON(wire.ErrorBody{StatusCode: status, Error: info})
	header := http.Header{
		"Content-Type": {"application/json"}, "Content-Length": {strconv.Itoa(len(body))}, "X-Request-Id": {id},
		"Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"}, "Connection": {"close"}, "Date": {now.UTC().Format(http.TimeFormat)},
	}
	var answer bytes.Buffer
	fmt.Fprintf(&answer, "%s%d %s\r\n", firstOfAnswer, status, http.StatusText(status))
	_ = header.Write(&answer) // a buffer takes everything
	answer.WriteString("\r\n")
	answer.Write(body)
	return answer.Bytes()
}

// unread logs and counts a request that could not be read.
func (a *api) unread(id string, status, size int) {
	a.config.Log.Info("request", slog.String("request_id", id), slog.String("route", ""), slog.String("method", "other"),
		slog.Int("status", status), slog.Int("bytes", size), slog.Float64("seconds", 0))
	a.requests.add("", "other", status, 0)
}

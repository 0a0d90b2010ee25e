package httpapi

import (
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/room"
)

// exchange is one request with its answer.
type exchange struct {
	api *api
	w   *response
	r   *http.Request
	// id is the request id.
	id string
	// route is the path pattern as addRoutes lists it, empty for an unknown path. Logs and
	// metrics name the pattern and never the path, because a path holds ids.
	route string
	// path has the values of the route's variables.
	path map[string]string
	// caller is who calls, on the routes that ask for it.
	caller access.Caller
	// reading reports whether the body was asked for.
	reading bool
	// held is how many bytes of the budget the exchange holds.
	held int64
	// answer is about how many bytes the answer takes in memory, and counted how many of these were
	// reserved.
	answer, counted int64
	// left reports whether the client left before its answer.
	left bool
}

// ServeHTTP answers a request, whatever happens.
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &exchange{api: a, w: newResponse(w), id: requestID(r)}
	c.r = r.WithContext(room.With(r.Context(), c.makeRoom))
	begun := time.Now()
	defer func() { a.record(c, time.Since(begun)) }()
	defer func() { c.letGo(c.held) }()
	defer c.rescue()
	c.awaitBody()
	header := w.Header()
	header.Set("X-Request-Id", c.id)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Content-Type-Options", "nosniff")
	if err := a.answer(c); err != nil {
		c.fail(err)
	}
}

func (a *api) answer(c *exchange) error {
	if a.localOnly && !isLocal(c.r.Host) {
		return errForeignHost
	}
	if a.allowOrigin(c) {
		c.w.WriteHeader(http.StatusNoContent)
		return nil
	}
	return a.dispatch(c)
}

// rescue answers a panic with 500. If the answer has begun, it cuts the connection, so that
// the answer is not taken for complete.
func (c *exchange) rescue() {
	panicked := recover()
	if panicked == nil {
		return
	}
	if panicked == http.ErrAbortHandler {
		panic(panicked)
	}
	c.api.config.Log.Error("request panicked", "request_id", c.id, "route", c.route, "error", toldOf(panicked), "stack", string(debug.Stack()))
	if c.w.status != 0 {
		panic(http.ErrAbortHandler)
	}
	c.refuse(fault.ErrInternal)
}

// toldOf returns what is logged of a panic: the text of a runtime error, but of any other
// value only its type, because the value may hold what a user wrote.
func toldOf(fault any) string {
	if known, ok := fault.(runtime.Error); ok {
		return known.Error()
	}
	return fmt.Sprintf("a value of type %T", fault)
}

var requestIDs = regexp.MustCompile(`^[A-Za-z0-9._-]{1,128}$`)

// requestID returns the client's request id if it sent one, else a new one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); requestIDs.MatchString(id) {
		return id
	}
	return newRequestID()
}

func newRequestID() string { return "req_" + strings.ToLower(rand.Text()) }

// record logs an exchange and counts it. Neither the log line nor the metrics hold a user, a
// credential, or any text that a user wrote.
func (a *api) record(c *exchange, took time.Duration) {
	status := c.w.status
	if status == 0 {
		status = http.StatusOK
	}
	if c.left {
		status = statusClientLeft
	}
	method := c.r.Method
	if !slices.Contains(methods, method) {
		method = "other"
	}
	a.config.Log.LogAttrs(c.r.Context(), slog.LevelInfo, "request",
		slog.String("request_id", c.id), slog.String("route", c.route), slog.String("method", method),
		slog.Int("status", status), slog.Int64("bytes", c.w.bytes), slog.Float64("seconds", took.Seconds()))
	a.requests.add(c.route, method, status, took)
}

// methods are the HTTP methods that logs and metrics name.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}

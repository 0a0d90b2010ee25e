package httpapi

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// fail answers with an error, and logs what the caller isn't told.
func (c *exchange) fail(err error) {
	switch {
	case c.isLeft(err):
		c.api.config.Log.InfoContext(c.r.Context(), "client left", "request_id", c.id, "route", c.route, "error", err)
	case statuses[c.told(err).Code] >= http.StatusInternalServerError:
		c.api.config.Log.ErrorContext(c.r.Context(), "request failed", "request_id", c.id, "route", c.route, "error", err)
	}
	c.refuse(err)
}

// isLeft reports whether a request failed because its client left.
func (c *exchange) isLeft(err error) bool {
	return errors.Is(c.r.Context().Err(), context.Canceled) && statuses[c.told(err).Code] >= http.StatusInternalServerError
}

// refuse answers with an error that need not be logged.
func (c *exchange) refuse(err error) {
	c.letGo(c.held) // the body is no longer needed
	c.left = c.isLeft(err)
	c.drain()
	known := c.told(err)
	header := c.w.Header()
	if after := retryAfter(known); after != "" {
		header.Set("Retry-After", after)
	}
	if statuses[known.Code] == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer realm="chatsdk"`)
	}
	body := bodyOf(known)
	if known.Code == wire.CodeNotFound && body.Detail == "" && known.Fields != nil {
		body.Detail = fmt.Sprintf("%s %s: %s names nothing that this caller may see", c.r.Method, c.route, known.Fields[0])
	}
	var conflict *toolcall.Conflict
	if errors.As(err, &conflict) {
		c.writeJSON(body.StatusCode, struct {
			wire.ErrorBody
			Call wire.ToolCall `json:"call"`
		}{body, conflict.Call})
		return
	}
	c.writeJSON(body.StatusCode, body)
}

// retryAfter returns whole seconds, rounded up, at least one. It is empty if nothing is limited
// and no time is known.
func retryAfter(known *fault.Error) string {
	if known.RetryAfter <= 0 && statuses[known.Code] != http.StatusTooManyRequests {
		return ""
	}
	seconds := math.Ceil(float64(known.RetryAfter) / float64(time.Second))
	return strconv.FormatFloat(max(1, seconds), 'f', 0, 64)
}

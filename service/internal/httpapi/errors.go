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

// statuses are the HTTP statuses of the error codes.
var statuses = map[string]int{
	wire.CodeValidation:       http.StatusBadRequest,
	wire.CodeFeatureDisabled:  http.StatusBadRequest,
	wire.CodeAuthentication:   http.StatusUnauthorized,
	wire.CodeInvalidToken:     http.StatusUnauthorized,
	wire.CodeTokenExpired:     http.StatusUnauthorized,
	wire.CodePermissionDenied: http.StatusForbidden,
	wire.CodeNotFound:         http.StatusNotFound,
	wire.CodeMethodNotAllowed: http.StatusMethodNotAllowed,
	wire.CodeConflict:         http.StatusConflict,
	wire.CodeStreamGone:       http.StatusGone,
	wire.CodeKeyReused:        http.StatusUnprocessableEntity,
	wire.CodePayloadTooLarge:  http.StatusRequestEntityTooLarge,
	wire.CodeUnsupportedMedia: http.StatusUnsupportedMediaType,
	wire.CodeRateLimited:      http.StatusTooManyRequests,
	wire.CodeQuotaExceeded:    http.StatusTooManyRequests,
	wire.CodeInternal:         http.StatusInternalServerError,
	wire.CodeProviderFailed:   http.StatusBadGateway,
	wire.CodeUnavailable:      http.StatusServiceUnavailable,
	wire.CodeProviderTimeout:  http.StatusGatewayTimeout,
}

// bodyOf returns an error as it is written on the wire.
func bodyOf(known *fault.Error) wire.ErrorBody {
	return wire.ErrorBody{
		StatusCode: statusOf(known),
		Error:      wire.ErrorInfo{Code: known.Code, Message: known.Message, InvalidFields: known.Fields},
		Detail:     known.Detail,
	}
}

// statusOf is the status of an error, which its code says, except for a range.
func statusOf(known *fault.Error) int {
	if known == errRange {
		return http.StatusRequestedRangeNotSatisfiable
	}
	return statuses[known.Code]
}

// told returns what the caller is told about an error.
func (c *exchange) told(err error) *fault.Error {
	known := fault.Of(err)
	if known == fault.ErrNotFound {
		return c.notFound()
	}
	if statuses[known.Code] == 0 {
		return fault.ErrInternal
	}
	return known
}

// invalid refuses fields of a request.
func invalid(message string, fields ...string) *fault.Error {
	return &fault.Error{Code: wire.CodeValidation, Message: message, Fields: fields}
}

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

// statusClientLeft is the status that the log and the metrics show for a request whose client
// left before its answer. nginx uses the same number. It is never sent.
const statusClientLeft = 499

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

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
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// statuses of the error codes.
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

var (
	errBroken   = &chat.Error{Code: wire.CodeUnavailable, Message: "The request was broken off; send it again"}
	errInternal = &chat.Error{Code: wire.CodeInternal, Message: "The service failed; its log has the reason under the request id"}
)

// ErrorBody is how an error stands on the wire. An error that nobody expected
// is INTERNAL, and nothing of it is told.
func ErrorBody(err error) wire.ErrorBody {
	known := told(err)
	return wire.ErrorBody{
		StatusCode: statuses[known.Code],
		Error:      wire.ErrorInfo{Code: known.Code, Message: known.Message, InvalidFields: known.Fields},
		Detail:     known.Detail,
	}
}

// told is what the caller is told of an error.
func told(err error) *chat.Error {
	var known *chat.Error
	var refused *memory.Error
	var turnedDown *knowledge.Error
	switch {
	case errors.As(err, &known) && statuses[known.Code] != 0:
		return known
	case errors.As(err, &refused) && statuses[refused.Code] != 0:
		return &chat.Error{Code: refused.Code, Message: refused.Message, Fields: refused.Fields}
	case errors.As(err, &turnedDown) && statuses[turnedDown.Code] != 0:
		return &chat.Error{Code: turnedDown.Code, Message: turnedDown.Message, Fields: turnedDown.Fields, RetryAfter: turnedDown.RetryAfter}
	case errors.Is(err, once.ErrReused):
		return errKeyReused
	case errors.Is(err, chat.ErrNotAnswer):
		return invalid("Feedback belongs to answers, and this message is a question", "message_id")
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return errBroken
	}
	for _, one := range thingsNotFound {
		if errors.Is(err, one.err) {
			return one.told
		}
	}
	return errInternal
}

// invalid is a refusal of fields.
func invalid(message string, fields ...string) *chat.Error {
	return &chat.Error{Code: wire.CodeValidation, Message: message, Fields: fields}
}

// fail answers with an error, and tells the log what the caller isn't told.
func (c *call) fail(err error) {
	switch {
	case c.isLeft(err):
		c.api.config.Log.InfoContext(c.r.Context(), "client left", "request_id", c.id, "route", c.route, "error", err)
	case statuses[told(err).Code] >= http.StatusInternalServerError:
		c.api.config.Log.ErrorContext(c.r.Context(), "request failed", "request_id", c.id, "route", c.route, "error", err)
	}
	c.refuse(err)
}

// statusClientLeft is the status, in the log and the metrics, of a request whose
// client left before its answer. It is nginx's, and is never sent.
const statusClientLeft = 499

// isLeft tells whether a request failed because its client left.
func (c *call) isLeft(err error) bool {
	return errors.Is(c.r.Context().Err(), context.Canceled) && statuses[told(err).Code] >= http.StatusInternalServerError
}

// refuse answers with an error that the log has no need of.
func (c *call) refuse(err error) {
	c.letGo(c.held) // nothing of the body is kept
	c.left = c.isLeft(err)
	c.drain()
	known := told(err)
	header := c.w.Header()
	if after := retryAfter(known); after != "" {
		header.Set("Retry-After", after)
	}
	if statuses[known.Code] == http.StatusUnauthorized {
		header.Set("WWW-Authenticate", `Bearer realm="chatsdk"`)
	}
	body := ErrorBody(err)
	if known.Code == wire.CodeNotFound && body.Detail == "" && known.Fields != nil {
		body.Detail = fmt.Sprintf("%s %s: %s names nothing that this caller may see", c.r.Method, c.route, known.Fields[0])
	}
	c.writeJSON(statuses[known.Code], body)
}

// retryAfter is in whole seconds, rounded up, and at least one. Where nothing
// is limited and no time is known there is none.
func retryAfter(known *chat.Error) string {
	if known.RetryAfter <= 0 && statuses[known.Code] != http.StatusTooManyRequests {
		return ""
	}
	seconds := math.Ceil(float64(known.RetryAfter) / float64(time.Second))
	return strconv.FormatFloat(max(1, seconds), 'f', 0, 64)
}

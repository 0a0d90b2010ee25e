package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
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
		Error:      wire.ErrorInfo{Code: known.Code, Message: known.Message, InvalidFields: known.Fields, Reason: known.Reason},
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

// statusClientLeft is the status that the log and the metrics show for a request whose client
// left before its answer. nginx uses the same number. It is never sent.
const statusClientLeft = 499

package openai

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"regexp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// errorBytes is how many bytes of an error's body are read.
const errorBytes = 64 << 10

func failed(message string, cause error) *fault.Error {
	return &fault.Error{Code: wire.CodeProviderFailed, Message: message, Cause: cause}
}

func unavailable(cause error) *fault.Error {
	return &fault.Error{Code: wire.CodeUnavailable, Message: "The model is busy or cannot be reached; try again in a moment", Cause: cause}
}

// failure turns err into one of the errors of chat.Provider.
func (c *call) failure(err error) error {
	if caller := c.caller.Err(); caller != nil {
		return caller
	}
	if errors.Is(context.Cause(c.silence.ctx), errSilent) {
		return &fault.Error{
			Code:    wire.CodeProviderTimeout,
			Message: "The model did not answer in time",
			Cause:   fmt.Errorf("silent for %s after %d events", c.silence.longest, c.events),
		}
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	var dial *net.OpError
	if c.contact.lost() || errors.As(err, &dial) && dial.Op == "dial" {
		return unavailable(cause(err))
	}
	return failed("The model cannot be asked", cause(err))
}

// refusal returns the error for a response with a status other than 200. tools is how many tools
// were offered.
func refusal(response *http.Response, tools int) *fault.Error {
	body, _ := io.ReadAll(io.LimitReader(response.Body, errorBytes))
	var told report
	_ = json.Unmarshal(body, &told) // a body that is not JSON has no reason
	cause := fmt.Errorf("status %d%s", response.StatusCode, told)
	switch response.StatusCode {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusNotImplemented:
		if tools > 0 {
			cause = fmt.Errorf("%w; it was offered %d tools: if the model or its server does not support tools, choose another one or remove the tools "+
				"from its agent (vLLM wants --enable-auto-tool-choice and --tool-call-parser, llama.cpp --jinja)", cause, tools)
		}
	}
	return refused(response, cause)
}

func refused(response *http.Response, cause error) *fault.Error {
	refusal := failed("The model's provider rejected the question", cause)
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		refusal = unavailable(cause)
		refusal.RetryAfter = retryAfter(response.Header)
	}
	refusal.ProviderStatus = response.StatusCode
	return refusal
}

// unfinished is the error of an answer with a finish reason other than a normal end.
func unfinished(reason string) *fault.Error {
	cause := fmt.Errorf("finish reason %q", token(reason))
	switch reason {
	case "content_filter":
		return failed("The model's provider withheld the answer because of its content filter", cause)
	case "tool_calls", "function_call":
		return failed("The model asked for a tool, but named none that exists", cause)
	}
	return failed("The model ended its answer for an unknown reason", cause)
}

// report is the body of an error, or the data of an event that reports one.
type report struct {
	Error json.RawMessage `json:"error"`
}

func (r report) isError() bool {
	return len(r.Error) > 0 && string(r.Error) != "null" && string(r.Error) != `""`
}

// String returns the type and the code. It doesn't read the message, because providers quote the
// key and the question in it.
func (r report) String() string {
	var told struct {
		Type any `json:"type"`
		Code any `json:"code"`
	}
	_ = json.Unmarshal(r.Error, &told) // some servers send only a string
	text := ""
	if kind := token(told.Type); kind != "" {
		text += ", type " + kind
	}
	if code := token(told.Code); code != "" {
		text += ", code " + code
	}
	return text
}

var tokens = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,39}$`)

// token returns value if it is a number, or an identifier such as providers use for types and
// codes. Otherwise it returns an empty string, because the value could be text that a user wrote.
func token(value any) string {
	switch value := value.(type) {
	case float64:
		return fmt.Sprintf("%.0f", value)
	case string:
		if tokens.MatchString(value) {
			return value
		}
	}
	return ""
}

// mediaType returns a media type with which a wrong endpoint usually answers; any other value
// could be text that a user wrote.
func mediaType(header string) string {
	media, _, _ := mime.ParseMediaType(header)
	switch media {
	case "text/event-stream", "application/json", "text/html", "text/plain":
		return media
	}
	return "another type"
}

// cause returns the part of a transport's error that cannot contain the provider's text: net/http
// quotes status lines and headers that it can't read.
func cause(err error) error {
	var network *net.OpError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &network):
		return network
	case errors.As(err, &certificate):
		return certificate
	case errors.Is(err, http.ErrSchemeMismatch):
		return http.ErrSchemeMismatch
	case errors.Is(err, bufio.ErrTooLong):
		return errors.New("a line of more than 32 MiB")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	case errors.Is(err, io.EOF):
		return io.EOF
	}
	for next := errors.Unwrap(err); next != nil; next = errors.Unwrap(err) {
		err = next
	}
	return fmt.Errorf("the transport failed with a %T, whose text may quote the response", err)
}

package upstream

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"regexp"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/sse"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// errorBytes is how many bytes of an error's body are read.
const errorBytes = 64 << 10

func failed(message string, cause error) *fault.Error {
	return &fault.Error{Code: wire.CodeProviderFailed, Reason: wire.ProviderBroken, Message: message, Cause: cause}
}

// NoAnswer is the error of a response that cannot be part of an answer.
func NoAnswer(cause error) *fault.Error {
	return failed("The model sent something that is not an answer", cause)
}

// Failed is an error with a message for people and a cause for the log.
func Failed(message string, cause error) *fault.Error { return failed(message, cause) }

// failure turns err into one of the errors of answering.Provider.
func (c *Call) failure(err error) error {
	if caller := c.caller.Err(); caller != nil {
		return caller
	}
	if errors.Is(context.Cause(c.silence.ctx), errSilent) {
		silent := &fault.Error{
			Code:    wire.CodeProviderTimeout,
			Message: "The model did not answer in time",
			Cause:   fmt.Errorf("silent for %s after %d events", c.silence.longest, c.events),
		}
		if c.contact.responded.Load() {
			return silent
		}
		return again{fault: silent, isSlow: true}
	}
	var passes again
	if errors.As(err, &passes) {
		return passes
	}
	var refused objected
	if errors.As(err, &refused) {
		return refused
	}
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	var dial *net.OpError
	if c.contact.lost() || errors.As(err, &dial) && dial.Op == "dial" {
		return again{fault: away.fault(cause(err))}
	}
	return failed("The model cannot be asked", cause(err))
}

// refusal returns the error for a response with a status other than 200.
func refusal(response *http.Response, p Privy) error {
	content, _ := io.ReadAll(io.LimitReader(response.Body, errorBytes))
	t := tell(content)
	refusal := refused(response, t, p)
	kind := kindOf(response.StatusCode, t)
	what := t.refuses(kind)
	switch isBroken := kind == broken && slices.Contains(passing, response.StatusCode); {
	case what != "":
		return objected{answering.Refusal{Err: refusal, What: what, Tool: t.tool(what, p)}, Objection{what, t}}
	case isBroken, refusal.Code == wire.CodeUnavailable:
		return again{fault: refusal, after: cmp.Or(retryAfter(response.Header), t.after)}
	}
	return refusal
}

// refused returns the error for a response with a status other than 200 that says t.
func refused(response *http.Response, t told, p Privy) *fault.Error {
	kind := kindOf(response.StatusCode, t)
	refusal := kind.fault(causeOf(fmt.Sprintf("status %d", response.StatusCode), t, p))
	if kind.code == wire.CodeUnavailable {
		refusal.RetryAfter = cmp.Or(retryAfter(response.Header), t.after)
	}
	refusal.ProviderStatus = response.StatusCode
	return refusal
}

// causeOf is what the log gets of a failure: its type and code, and the provider's sentence without
// what p says may not be repeated.
func causeOf(what string, t told, p Privy) error {
	text := what
	if kind := p.Identifier(t.kind); kind != "" {
		text += ", type " + kind
	}
	if code := p.Identifier(t.code); code != "" && code != t.kind {
		text += ", code " + code
	}
	if reason := p.reason(t.text); reason != "" {
		text += ": " + reason
	}
	if p.Tools > 0 && t.refusesTools() {
		text += fmt.Sprintf("; it was offered %d tools: if the model or its server does not support tools, choose another one or remove the tools "+
			"from its agent (vLLM wants --enable-auto-tool-choice and --tool-call-parser, llama.cpp --jinja)", p.Tools)
	}
	return errors.New(text)
}

var tokens = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,39}$`)

// Token returns value if it is a number, or an identifier such as providers use for types and
// codes. Otherwise it returns an empty string, because the value could be text that a user wrote.
func Token(value any) string {
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
	var large sse.TooLargeError
	switch {
	case errors.As(err, &network):
		return network
	case errors.As(err, &certificate):
		return certificate
	case errors.Is(err, http.ErrSchemeMismatch):
		return http.ErrSchemeMismatch
	case errors.As(err, &large):
		return fmt.Errorf("an event of more than %d MiB", large.MaxBytes>>20)
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

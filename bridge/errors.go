//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"syscall/js"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
)

// thrown is a value that JavaScript threw or rejected with.
type thrown struct {
	value   safejs.Value
	message string
}

// Error returns the message of an Error.
func (t *thrown) Error() string { return t.message }

// thrown makes an error of what a page threw.
func (b *bridge) thrown(value safejs.Value) error {
	message, ok := b.textOf(value, "message")
	if !ok {
		message = "JavaScript threw something other than an Error"
	}
	return &thrown{value, message}
}

// textOf returns a property of a page's value, if it is a string. The host reads it: a getter or a proxy may
// throw, which would unwind through this program and end it.
func (b *bridge) textOf(value safejs.Value, property string) (string, bool) {
	text, err := b.host.Call("textOf", value, property)
	if err != nil || typeOf(text) != safejs.TypeString {
		return "", false
	}
	found, err := text.String()
	return found, err == nil
}

// fromJSError unwraps the value that safejs caught.
func (b *bridge) fromJSError(err error) error {
	var jsError js.Error
	if errors.As(err, &jsError) {
		return b.thrown(safejs.Safe(jsError.Value))
	}
	return err
}

// Kinds of the errors that the page makes; see errorOf in js/src/errors.ts.
const (
	kindArgument = "argument"
	kindAPI      = "api"
	kindAbort    = "abort"
)

// failureOf is an error in the form that the page gets, and what JavaScript threw.
func failureOf(err error) (text []byte, cause safejs.Value) {
	kind, fields := kindAPI, record{}
	cause = safejs.Undefined()
	var argument *sdk.ArgumentError
	var failure *sdk.APIError
	var inner *thrown
	switch {
	case errors.As(err, &argument):
		kind = kindArgument
		fields.text("message", argument.Error())
	case errors.Is(err, context.Canceled):
		kind = kindAbort
		fields.text("message", "the call was aborted")
	case errors.As(err, &failure):
		fields.failure(failure)
		if errors.As(failure.Cause, &inner) {
			cause = inner.value
		}
	default:
		fields.text("message", err.Error())
		fields.number("status", 0)
	}
	var r record
	r.text("kind", kind)
	r.raw("fields", fields.end())
	return r.end(), cause
}

func (r *record) failure(failure *sdk.APIError) {
	r.text("message", failure.Message)
	r.number("status", failure.Status)
	r.text("detail", failure.Detail)
	r.text("code", failure.Code)
	r.text("reason", failure.Reason)
	r.text("requestId", failure.RequestID)
	if len(failure.InvalidFields) > 0 {
		r.key("invalidFields")
		for i, field := range failure.InvalidFields {
			r.json = sdk.AppendString(append(r.json, "[,"[min(i, 1)]), field)
		}
		r.json = append(r.json, ']')
	}
	if failure.RetryAfter > 0 {
		r.number("retryAfter", int(failure.RetryAfter.Seconds()))
	}
	if failure.Retryable() {
		r.key("retryable")
		r.json = append(r.json, "true"...)
	}
	r.text("partial", failure.Partial)
	r.text("advice", failure.Advice)
	if failure.Cause != nil {
		r.text("because", failure.Cause.Error())
	}
}

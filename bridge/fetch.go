//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
)

// transport is the sdk.Transport on fetch (WHATWG Fetch, section 5).
type transport struct{ b *bridge }

// Do sends the request. One AbortController lives as long as the response:
// abort makes a pending read fail, where cancelling the reader would end it as
// if it were done.
func (t *transport) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	controller, err := t.b.host.Call("begin")
	if err != nil {
		return nil, fromJSError(err)
	}
	stop := context.AfterFunc(ctx, func() {
		defer t.b.recover()
		abort(controller)
	})
	out, _ := ctx.Value(outletKey{}).(*outlet)
	body := &body{b: t.b, controller: controller, stop: stop, out: out}
	init, err := fetchInit(request, controller)
	if err != nil {
		body.Close()
		return nil, err
	}
	response, err := t.fetch(ctx, request.URL, init, progressOf(request.Form))
	if err != nil {
		body.Close()
		return nil, err
	}
	result, err := newResponse(response, body)
	if err != nil {
		body.Close()
		return nil, err
	}
	return result, nil
}

func abort(controller safejs.Value) {
	_, _ = controller.Call("abort") // AbortController's own function does not throw
}

// progressOf is the function that is told of the form's progress, or undefined.
func progressOf(form []sdk.FormField) safejs.Value {
	for _, field := range form {
		if field.File != nil {
			if own, ok := field.File.Content.(blob); ok {
				return own.onProgress
			}
		}
	}
	return safejs.Undefined()
}

func (t *transport) fetch(ctx context.Context, url string, init map[string]any, onProgress safejs.Value) (safejs.Value, error) {
	promise, err := t.b.host.Call("fetch", url, init, onProgress)
	if err != nil {
		return safejs.Value{}, fromJSError(err)
	}
	return await(ctx, promise)
}

// fetchInit is the second argument of fetch. Cookies stay out, nothing is
// cached, and a redirect would carry the credentials elsewhere.
func fetchInit(request *sdk.Request, controller safejs.Value) (map[string]any, error) {
	signal, err := controller.Get("signal")
	if err != nil {
		return nil, err
	}
	headers := map[string]any{}
	for name, value := range request.Header {
		headers[name] = value
	}
	init := map[string]any{
		"method": request.Method, "headers": headers, "signal": signal,
		"credentials": "omit", "cache": "no-store", "redirect": "error",
	}
	switch {
	case request.Form != nil:
		init["body"], err = toJSForm(request.Form)
	case request.Body != nil:
		init["body"] = string(request.Body)
	}
	return init, err
}

// newResponse reads the status and takes hold of the headers and the body.
func newResponse(response safejs.Value, body *body) (*sdk.Response, error) {
	status, err := response.Get("status")
	if err != nil {
		return nil, err
	}
	code, err := status.Int()
	if err != nil {
		return nil, err
	}
	headers, err := response.Get("headers")
	if err != nil {
		return nil, err
	}
	body.response = response
	return &sdk.Response{Status: code, Header: headerOf(headers), Body: body}, nil
}

// readAlong has the browser read a copy of the response by itself, so that Chromium
// does not show it as cancelled; see body.
func (b *bridge) readAlong(response safejs.Value) {
	in, err := b.host.Get("inBrowser")
	if yes, _ := in.Truthy(); err != nil || !yes {
		return
	}
	if along, err := response.Call("clone"); err == nil {
		if read, err := along.Call("arrayBuffer"); err == nil {
			_, _ = read.Call("catch", b.ignore)
		}
	}
}

func headerOf(headers safejs.Value) func(string) string {
	return func(name string) string {
		value, err := headers.Call("get", name)
		if err != nil {
			return ""
		}
		text, _ := fromJSString(value) // null where there is none
		return text
	}
}

// body reads the response: events by WriteTo, as they come, anything else by Read, as a
// whole. A response with Cache-Control: no-store that a script reads by its stream is shown
// as cancelled by Chromium: https://github.com/microsoft/playwright/issues/42742.
type body struct {
	b          *bridge
	controller safejs.Value
	stop       func() bool
	response   safejs.Value
	out        *outlet // where the events go that it brings
	pump       *pump   // while and after it is read as it comes
	rest       []byte  // what is left of the whole
	done       bool    // nothing more comes
}

// Read gives a part of the whole.
func (r *body) Read(p []byte) (int, error) {
	if !r.done {
		if err := r.all(); err != nil {
			return 0, err
		}
	}
	if len(r.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// all waits for the bytes of the whole response.
func (r *body) all() error {
	promise, err := r.response.Call("arrayBuffer")
	if err != nil {
		return fromJSError(err)
	}
	buffer, err := await(context.Background(), promise) // Close, or the end of the request's context, rejects it
	if err != nil {
		return err
	}
	bytes, err := safejs.MustGetGlobal("Uint8Array").New(buffer)
	if err != nil {
		return err
	}
	length, err := byteLength(bytes)
	if err != nil {
		return err
	}
	r.rest = make([]byte, length)
	_, err = safejs.CopyBytesToGo(r.rest, bytes)
	r.done = true
	return err
}

// WriteTo implements io.WriterTo. The page reads, and feed writes to w; see pump.go. It
// gives no count.
func (r *body) WriteTo(w io.Writer) (int64, error) {
	if r.done {
		return 0, nil
	}
	if r.pump == nil {
		r.b.readAlong(r.response)
		stream, err := r.response.Get("body")
		if err != nil {
			return 0, err
		}
		if stream.IsNull() { // an answer without a body
			r.done = true
			return 0, nil
		}
		reader, err := stream.Call("getReader")
		if err != nil {
			return 0, fromJSError(err)
		}
		r.pump = r.b.newPump(reader, r.out)
	}
	var err error
	r.done, err = r.pump.run(w)
	return 0, err
}

// SinceRead is how long ago the last bytes came.
func (r *body) SinceRead() time.Duration {
	if r.pump == nil {
		return 0
	}
	return r.pump.sinceRead()
}

// Close ends the reading, and the connection unless all has come: an abort would
// then cost, and show the response as cancelled. It must not be called during a
// Read. The page keeps the controllers of what is not finished, to end their requests
// after a crash.
func (r *body) Close() error {
	r.stop()
	if !r.done {
		r.done = true
		abort(r.controller)
	}
	_, _ = r.b.host.Call("finish", r.controller) // the host's own function does not throw
	if r.pump != nil {
		r.pump.close()
	}
	return nil
}

var errNoBlob = errors.New("bridge: files are Blobs of the page, which are sent as they are and not read")

// blob is a File or Blob of the page. It goes into the form as it is.
type blob struct {
	value safejs.Value
	// onProgress is told how much of the form has been sent; undefined for nobody.
	onProgress safejs.Value
}

func (blob) Read([]byte) (int, error) { return 0, errNoBlob }

// Seek does nothing: the page sends the Blob from its beginning each time.
func (blob) Seek(int64, int) (int64, error) { return 0, nil }

// toJSForm makes the FormData, which brings its own content type.
func toJSForm(fields []sdk.FormField) (safejs.Value, error) {
	form, err := safejs.MustGetGlobal("FormData").New()
	if err != nil {
		return safejs.Value{}, fromJSError(err)
	}
	for _, field := range fields {
		args := []any{field.Name, field.Text}
		if field.File != nil {
			own, ok := field.File.Content.(blob)
			if !ok {
				return safejs.Value{}, errNoBlob
			}
			args[1] = own.value
			if field.File.Name != "" {
				args = append(args, field.File.Name)
			}
		}
		if _, err := form.Call("append", args...); err != nil {
			return safejs.Value{}, fromJSError(err)
		}
	}
	return form, nil
}

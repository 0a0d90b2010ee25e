//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"io"
	"runtime"
	"time"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

// transport is the sdk.Transport on fetch (WHATWG Fetch, section 5): the page's own if it gave one, otherwise the global one.
type transport struct {
	b   *bridge
	own safejs.Value // undefined if there is none
}

// Do makes the page send the request, and waits for the head of the response.
func (t *transport) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	x := t.b.newExchange()
	call, passes := 0, ""
	if out, ok := ctx.Value(outletKey{}).(*outlet); ok {
		x.out, call, passes = out, out.call, out.passes
	}
	head, err := headOf(request, passes)
	if err != nil {
		x.forget()
		return nil, err
	}
	r := &body{exchange: x, stop: context.AfterFunc(ctx, func() {
		defer t.b.recover()
		x.abort()
	})}
	_, err = t.b.host.Call("request", x.number, call, at(head), len(head), at(request.Body), len(request.Body), t.own)
	runtime.KeepAlive(head)
	if err != nil {
		r.Close()
		return nil, t.b.fromJSError(err)
	}
	answer, err := x.wait(ctx)
	var fields jsontext.Value
	if err == nil {
		fields, err = jsontext.Parse(answer.text)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.streams = fields.Get("stream").True()
	return &sdk.Response{Status: int(fields.Get("status").Int()), Header: func(name string) string {
		return fields.Get(name).Text()
	}, Body: r}, nil
}

// abort makes the page end the request. Whatever waits for the request then fails.
func (x *exchange) abort() { _, _ = x.b.host.Call("abort", x.number) }

// headOf is the request without its body, in the form of Head in js/src/bindings.ts.
func headOf(request *sdk.Request, passes string) ([]byte, error) {
	var r record
	r.text("url", request.URL)
	r.text("method", request.Method)
	var headers record
	for name, value := range request.Header {
		headers.text(name, value)
	}
	r.key("headers")
	r.json = append(r.json, headers.end()...)
	if passes != "" {
		r.key("passes")
		r.json = append(r.json, passes...)
	}
	if request.Form == nil {
		return r.end(), nil
	}
	r.key("form")
	form, text := request.Form, blob(0)
	for n := len(form) - 1; n >= 0 && form[n].File != nil; n-- {
		stays, ok := form[n].File.Content.(kept)
		if !ok {
			break
		}
		form, text = form[:n], stays.blob
	}
	for i, field := range form {
		r.json = append(r.json, "[,"[min(i, 1)], '[')
		r.json = append(sdk.AppendString(r.json, field.Name), ',')
		switch file := field.File; {
		case file == nil && field.Text == inPage:
			r.json = appendInt(r.json, int(text))
			text++
		case file == nil:
			r.json = sdk.AppendString(r.json, field.Text)
		default:
			own, ok := file.Content.(blob)
			if !ok {
				return nil, errNoBlob
			}
			r.json = appendInt(r.json, int(own))
		}
		r.json = append(r.json, ']')
	}
	r.json = append(r.json, ']')
	return r.end(), nil
}

// body is the body of a response. If it is not an event stream, the page reads it as a whole. If a
// script reads a response with Cache-Control: no-store piece by piece, Chromium shows it as cancelled:
// https://github.com/microsoft/playwright/issues/42742.
type body struct {
	*exchange
	stop    func() bool
	streams bool
	done    bool // nothing more comes
}

// All returns the whole body.
func (r *body) All() ([]byte, error) {
	if r.streams {
		var all whole
		_, err := r.WriteTo(&all)
		return all, err
	}
	o := <-r.came // Close or the end of the request's context ends the wait
	r.done = o.err == nil
	return o.text, o.err
}

type whole []byte

func (w *whole) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// Read is never called: All and WriteTo replace it.
func (r *body) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }

// WriteTo implements io.WriterTo. The page reads, and feed writes to w: waking a goroutine for each
// piece of an answer would cost more than all other work on the piece. The count is always 0.
func (r *body) WriteTo(w io.Writer) (int64, error) {
	if r.done {
		return 0, nil
	}
	r.w, r.err = w, nil
	defer func() { r.w = nil }()
	if _, err := r.b.host.Call("pump", r.number); err != nil {
		return 0, r.b.fromJSError(err)
	}
	o := <-r.came
	if r.err != nil {
		return 0, r.err
	}
	r.done = o.err == nil
	return 0, o.err
}

// SinceRead returns the time since the last bytes arrived. Asking the page costs less than reading the
// clock here.
func (r *body) SinceRead() time.Duration {
	ago, err := r.b.host.Call("sinceRead", r.number)
	if err != nil {
		return 0
	}
	milliseconds, _ := ago.Float()
	return time.Duration(milliseconds * float64(time.Millisecond))
}

// Close ends the reading. It also ends the connection, unless the whole body has arrived: then an
// abort would cost time, and the browser would show the response as cancelled. It must not be called
// during a read. The page keeps unfinished requests, so that it can end them after a crash.
func (r *body) Close() error {
	r.stop()
	if !r.done {
		r.done = true
		r.abort()
	}
	_, _ = r.b.host.Call("finish", r.number) // the host's own function does not throw
	r.forget()
	outbox = nil // may be as large as an answer
	return nil
}

var errNoBlob = errors.New("bridge: files are Blobs of the page, which are sent as they are and not read")

// blob is a File or Blob of the page: its index among the files of the call. The page puts it into the
// form as it is.
type blob int

func (blob) Read([]byte) (int, error) { return 0, errNoBlob }

// Seek does nothing: the page sends the Blob from its beginning each time.
func (blob) Seek(int64, int) (int64, error) { return 0, nil }

// kept is a text that stays in the page: it may be as large as a file. Such texts are the last of
// the call's files, so that their sizes count for the time limit. headOf sends them in place of inPage, in their order.
type kept struct{ blob }

// inPage stands for a text that the page keeps; connection.ts writes the same.
const inPage = "\x00in the page"

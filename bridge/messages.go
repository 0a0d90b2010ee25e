//go:build js && wasm

package bridge

import (
	"runtime"
	"strconv"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// hear does what a message of the page says; see ToCore in js/src/messages.ts. It must not wait.
func (b *bridge) hear(text []byte) {
	m := jsontext.Value(text) // the host writes it, so it need not be checked
	number := func(field string) int { return int(m.Get(field).Int()) }
	switch kind := m.Get("kind").Text(); kind {
	case "open":
		b.open(number("client"), m.Get("settings").AppendText(nil), b.value())
	case "free":
		delete(b.clients, number("client"))
	case "close":
		if c := b.clients[number("client")]; c != nil {
			c.cancel(sdk.ErrDetached)
		}
	case "call":
		b.begin(number("id"), number("client"), m.Get("operation").Text(), m.Get("args").AppendText(nil))
	case "abort":
		if cancel := b.running[number("id")]; cancel != nil {
			cancel()
		}
	case "given":
		b.deliver(number("ask"), outcome{value: b.value()})
	case "threw":
		b.deliver(number("ask"), outcome{err: b.thrown(b.value())})
	case "wake", "goOffline":
		b.network(kind == "goOffline")
	}
}

// value is the value of the page that the export under way is about.
func (b *bridge) value() safejs.Value {
	value, err := b.host.Call("value")
	if err != nil {
		panic(err) // the host's own function failed
	}
	return value
}

// post gives the page a message; see FromCore in js/src/messages.ts. cause is the cause of a failure.
func (b *bridge) post(m *record, cause ...any) {
	text := m.end()
	_, _ = b.host.Call("post", append([]any{at(text), len(text)}, cause...)...) // the host's own function does not throw
	runtime.KeepAlive(text)
}

// settle posts the result of a call, JSON or nothing, or its failure.
func (b *bridge) settle(call int, result wire.JSON, err error) {
	if err != nil {
		m := message("failed")
		m.number("id", call)
		failure, cause := failureOf(err)
		m.raw("failure", failure)
		b.post(m, cause)
		return
	}
	m := message("done")
	m.number("id", call)
	if len(result) > 0 {
		m.raw("result", result)
	}
	b.post(m)
}

// log passes the log entry of a request to the page: for the logger of a call, or, with the number 0, of a client.
func (b *bridge) log(call, client int, entry sdk.LogEntry) {
	m := message("log")
	m.number("id", call)
	m.number("client", client)
	var r record
	r.text("operation", entry.Operation)
	r.text("method", entry.Method)
	r.text("path", entry.Path)
	r.number("status", entry.Status)
	r.text("code", entry.Code)
	r.text("requestId", entry.RequestID)
	r.number("milliseconds", int(entry.Duration.Milliseconds()))
	m.raw("entry", r.end())
	b.post(m)
}

// message begins a message.
func message(kind string) *record {
	m := &record{}
	m.text("kind", kind)
	return m
}

// record writes a JSON object.
type record struct{ json []byte }

func (r *record) key(name string) {
	separator := byte(',')
	if len(r.json) == 0 {
		separator = '{'
	}
	r.json = append(sdk.AppendString(append(r.json, separator), name), ':')
}

func (r *record) text(name, value string) {
	if value != "" {
		r.key(name)
		r.json = sdk.AppendString(r.json, value)
	}
}

func (r *record) raw(name string, value []byte) {
	r.key(name)
	r.json = append(r.json, value...)
}

func (r *record) number(name string, value int) {
	r.key(name)
	r.json = appendInt(r.json, value)
}

func appendInt(text []byte, number int) []byte { return strconv.AppendInt(text, int64(number), 10) }

// end returns the object, which must have at least one field.
func (r *record) end() []byte { return append(r.json, '}') }

//go:build js && wasm

package bridge

import (
	"context"
	"io"
	"runtime"

	"github.com/hack-pad/safejs"
)

// exchange is something that the program asks the page for and that the page delivers later: the
// response to a request, an access token, or the result of a tool.
type exchange struct {
	b      *bridge
	number int
	// came gets what the page delivers.
	came chan outcome

	// While the page reads a stream:
	w   io.Writer
	err error   // the error of the last write
	out *outlet // gets the events of the stream; may be nil
}

// outcome is what the page delivers: bytes, a value, or an error.
type outcome struct {
	text  []byte
	value safejs.Value
	err   error
}

func (b *bridge) newExchange() *exchange {
	b.lastExchange++
	x := &exchange{b: b, number: b.lastExchange, came: make(chan outcome, 2)} // room for a head and a body
	b.exchanges[x.number] = x
	return x
}

// ask opens an exchange for a question to the page, and begins the message that asks.
func (b *bridge) ask(kind string, client int) (*exchange, *record) {
	x, m := b.newExchange(), message(kind)
	m.number("ask", x.number)
	m.number("client", client)
	return x, m
}

func (x *exchange) forget() { delete(x.b.exchanges, x.number) }

// deliver passes an outcome to the goroutine that waits for it. If no goroutine waits, it is dropped.
func (b *bridge) deliver(number int, o outcome) {
	x := b.exchanges[number]
	if x == nil {
		return
	}
	select {
	case x.came <- o:
	default:
	}
}

// wait waits for an outcome, or for the end of the context.
func (x *exchange) wait(ctx context.Context) (outcome, error) {
	select {
	case o := <-x.came:
		return o, o.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

// outlet passes the events of a call to the page.
type outlet struct {
	b    *bridge
	call int
	// passes means that the page need not pass the call's response to this program.
	passes string
	held   bool // a feed is under way and returns the events itself
	begins bool // the last feed began something that runs only when the page resumes the program
}

// outletKey is the context key of a call's outlet.
type outletKey struct{}

// give passes the text of events to the page.
func (o *outlet) give(text []byte) error {
	if o.held {
		outbox = text
		return nil
	}
	_, err := o.b.host.Call("events", o.call, at(text), len(text))
	runtime.KeepAlive(text)
	return o.b.fromJSError(err)
}

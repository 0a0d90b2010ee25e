//go:build js && wasm

package bridge

import (
	"context"
	"io"
	"runtime"

	"github.com/hack-pad/safejs"
)

// exchange is something that the page is asked for and tells of later: a request
// and its answer, or an access token.
type exchange struct {
	b      *bridge
	number int
	// came is what the page tells.
	came chan outcome

	// While the page reads a stream:
	w   io.Writer
	err error   // of the last write
	out *outlet // where the events go that it brings; nil for nowhere
}

// outcome is what the page tells: bytes, a value, or why there is none.
type outcome struct {
	text  []byte
	value safejs.Value
	err   error
}

// ask opens an exchange.
func (b *bridge) ask() *exchange {
	b.lastExchange++
	x := &exchange{b: b, number: b.lastExchange, came: make(chan outcome, 2)} // a head and a body
	b.exchanges[x.number] = x
	return x
}

func (x *exchange) forget() { delete(x.b.exchanges, x.number) }

// tell hands an outcome to whoever waits for it. What nobody waits for any more is dropped.
func (b *bridge) tell(number int, o outcome) {
	x := b.exchanges[number]
	if x == nil {
		return
	}
	select {
	case x.came <- o:
	default:
	}
}

// take is tell for a value, which is why there is none if it failed.
func (b *bridge) take(args []safejs.Value) any {
	number, _ := args[0].Int()
	o := outcome{value: args[2]}
	if failed, _ := args[1].Truthy(); failed {
		o = outcome{err: &thrown{args[2]}}
	}
	b.tell(number, o)
	return nil
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

// outlet is where the events of a call go.
type outlet struct {
	b    *bridge
	call int
	// passes tells that the page need not show the call's answer to this program.
	passes bool
	held   bool // a feed is under way: its result has them, once
	begins bool // what was fed began something, which the page is to run
}

// outletKey is the context key of a call's outlet.
type outletKey struct{}

// give hands the text of events to the page.
func (o *outlet) give(text []byte) error {
	if o.held {
		outbox = text
		return nil
	}
	_, err := o.b.host.Call("events", o.call, at(text), len(text))
	runtime.KeepAlive(text)
	return fromJSError(err)
}

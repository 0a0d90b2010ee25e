//go:build js && wasm

package bridge

import (
	"io"
	"slices"
	"time"
	"unsafe"

	"github.com/hack-pad/safejs"
)

// The page reads a stream (#pump in js/src/core.ts), and no goroutine does: to wake one for
// each piece of an answer costs more than all that is done with the piece. For each read the page
//
//	writes the bytes to where room has room for them,
//	calls feed, which decodes and checks them, and
//	takes the text of the events from where said says.
//
// These are exported functions of the program. Nothing that they call may wait, or the
// program is lost (docs/architecture.md, "A read of a stream").

var (
	inbox  []byte  // what the page gives to the next feed
	outbox []byte  // what the last feed gives to the page
	pumps  []*pump // few, so that none is looked for long
	// instance is the one that this program runs.
	instance *bridge
)

//go:wasmexport room
func room(bytes int32) (at unsafe.Pointer) {
	defer instance.recover()
	if int(bytes) > len(inbox) {
		inbox = make([]byte, max(int(bytes), usualRead))
	}
	return unsafe.Pointer(unsafe.SliceData(inbox))
}

// usualRead is how many bytes a read brings at most in the browsers of today.
const usualRead = 64 << 10

//go:wasmexport said
func said() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(outbox)) }

// feed takes n bytes of a pump's stream. It gives twice the length of the text in said, and
// one more where nothing else is wanted of the stream.
//
//go:wasmexport feed
func feed(number, n int32) (result int32) {
	defer instance.recover()
	p := pumpOf(number)
	if p == nil || p.w == nil {
		return 1 // it is over; its abort is under way
	}
	result = 1 // also where this panics
	outbox = outbox[:0]
	if p.out != nil {
		p.out.held = true
		defer func() { p.out.held = false }()
	}
	_, p.err = p.w.Write(inbox[:n])
	result = int32(len(outbox)) << 1
	if p.err != nil {
		result |= 1
	}
	return result
}

func pumpOf(number int32) *pump {
	for _, p := range pumps {
		if p.number == number {
			return p
		}
	}
	return nil
}

// outlet is where the events of a call go.
type outlet struct {
	onEvents safejs.Value
	held     bool // a feed is under way: its result has them, once
}

// outletKey is that of a call's outlet in its context.
type outletKey struct{}

// give hands the text of events to the page.
func (o *outlet) give(text []byte) error {
	if o.held {
		outbox = text
		return nil
	}
	_, err := o.onEvents.Invoke(string(text))
	return fromJSError(err)
}

// pump is a stream that the page reads.
type pump struct {
	b      *bridge
	number int32
	reader safejs.Value
	out    *outlet
	take   safejs.Func
	came   chan []safejs.Value
	// While it runs:
	w   io.Writer
	err error        // of the last write
	ago safejs.Value // the page's function that tells how long ago something came
}

func (b *bridge) newPump(reader safejs.Value, out *outlet) *pump {
	b.lastPump++
	p := &pump{b: b, number: b.lastPump, reader: reader, out: out, came: make(chan []safejs.Value, 1)}
	p.take = b.export(func(args []safejs.Value) any {
		p.came <- args
		return nil
	})
	pumps = append(pumps, p)
	return p
}

// run has the page read until the stream ends, or w wants no more, with w's error.
func (p *pump) run(w io.Writer) (ended bool, err error) {
	p.w, p.err = w, nil
	defer func() { p.w = nil }()
	onEvents := safejs.Undefined()
	if p.out != nil {
		onEvents = p.out.onEvents
	}
	if p.ago, err = p.b.host.Call("pump", int(p.number), p.reader, onEvents, p.take); err != nil {
		return false, fromJSError(err)
	}
	args := <-p.came
	switch {
	case p.err != nil:
		return false, p.err
	case len(args) > 0:
		return false, &thrown{args[0]}
	}
	return true, nil
}

// sinceRead asks the page, which knows it for less than a look at the clock costs here.
func (p *pump) sinceRead() time.Duration {
	ago, err := p.ago.Invoke()
	if err != nil {
		return 0 // it has not begun
	}
	milliseconds, _ := ago.Float()
	return time.Duration(milliseconds * float64(time.Millisecond))
}

func (p *pump) close() {
	pumps = slices.DeleteFunc(pumps, func(other *pump) bool { return other == p })
	p.take.Release()
	outbox = nil // it may be as large as an answer
}

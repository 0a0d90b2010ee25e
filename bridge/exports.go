//go:build js && wasm

package bridge

import "unsafe"

// For frequent work the page calls these functions, which the program exports, and uses the program's
// memory: a js.Func would cost ten times as much. Before a call with data, the page calls room and
// writes the data there. Goroutines that these functions start run when the page resumes the program.
// Nothing that they call may wait, or the program is lost (docs/architecture.md, "A read of a
// stream").

var (
	inbox  []byte // the page's data for the next feed
	gift   []byte // the page's data for another call, which keeps it
	outbox []byte // the last feed's events for the page
	// instance is the bridge that this program runs.
	instance *bridge
)

//go:wasmexport room
func room(bytes int32, forGood bool) (at unsafe.Pointer) {
	defer instance.recover()
	if forGood {
		gift = make([]byte, bytes)
		return unsafe.Pointer(unsafe.SliceData(gift))
	}
	if int(bytes) > len(inbox) {
		inbox = make([]byte, max(int(bytes), usualRead))
	}
	return unsafe.Pointer(unsafe.SliceData(inbox))
}

// usualRead is the most bytes that one read returns in today's browsers.
const usualRead = 64 << 10

// hear does what a message says, which is in gift.
//
//go:wasmexport hear
func hear() {
	defer instance.recover()
	instance.hear(gift)
}

// came delivers gift to an exchange.
//
//go:wasmexport came
func came(number int32) {
	defer instance.recover()
	instance.deliver(int(number), outcome{text: gift})
}

// feed takes n bytes of an exchange's stream. It returns four times the length of the text in said,
// plus two if the page must resume the program at once, plus one if no more of the stream is wanted.
//
//go:wasmexport feed
func feed(number, n int32) (result int32) {
	defer instance.recover()
	x := instance.exchanges[int(number)]
	if x == nil || x.w == nil {
		return 1 // the exchange has ended, and its abort is under way
	}
	result = 1 // also the result if this function panics
	outbox = outbox[:0]
	if x.out != nil {
		x.out.held = true
		defer func() { x.out.held = false }()
	}
	_, x.err = x.w.Write(inbox[:n])
	result = int32(len(outbox)) << 2
	if x.out != nil && x.out.begins {
		x.out.begins = false
		result |= 2
	}
	if x.err != nil {
		result |= 1
	}
	return result
}

//go:wasmexport said
func said() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(outbox)) }

// at is the address of a text that the program passes to a function of the page. The caller keeps the
// text alive until the function returns.
func at(text []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(text)))) }

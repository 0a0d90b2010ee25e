//go:build js && wasm

package bridge

import "unsafe"

// What a page does often it does through these functions, which the program exports, and
// through the program's memory: a js.Func costs it ten times as much. Whatever comes with a call
// of one the page has written before to where room has room for it. What these begin
// runs when the page resumes the program. Nothing that they call may wait, or the program is
// lost (docs/architecture.md, "A read of a stream").

var (
	inbox  []byte // what the page gives with the next feed
	gift   []byte // what it gives with another call, for good
	outbox []byte // what the last feed gives to the page
	// instance is the one that this program runs.
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

// usualRead is how many bytes a read brings at most in the browsers of today.
const usualRead = 64 << 10

// beginCall begins an operation. The gift is its arguments, as JSON.
//
//go:wasmexport call
func beginCall(number, client, operation int32) {
	defer instance.recover()
	instance.begin(int(number), int(client), int(operation), gift)
}

//go:wasmexport abort
func abort(number int32) {
	defer instance.recover()
	if cancel := instance.running[int(number)]; cancel != nil {
		cancel()
	}
}

// came tells what an exchange waited for: the gift.
//
//go:wasmexport came
func came(number int32) {
	defer instance.recover()
	instance.tell(int(number), outcome{text: gift})
}

// feed takes n bytes of an exchange's stream. It gives four times the length of the text in
// said, two more where the program is to be resumed at once, and one more where nothing else is
// wanted of the stream.
//
//go:wasmexport feed
func feed(number, n int32) (result int32) {
	defer instance.recover()
	x := instance.exchanges[int(number)]
	if x == nil || x.w == nil {
		return 1 // it is over; its abort is under way
	}
	result = 1 // also where this panics
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

// at is where the page finds a text that the program gives it with a call of its own. The
// text must outlive the call.
func at(text []byte) int { return int(uintptr(unsafe.Pointer(unsafe.SliceData(text)))) }

//go:build js && wasm

package bridge

import "unsafe"

// These functions call the program's exports as the page does. Here the program resumes by itself.

// Give passes the data of the next call.
func Give(bytes []byte) {
	room(int32(len(bytes)), true)
	copy(gift, bytes)
}

// Begin is the export "call".
func Begin(number, client, operation int) { beginCall(int32(number), int32(client), int32(operation)) }

// Abort is the export "abort".
func Abort(number int) { abort(int32(number)) }

// Came is the export "came".
func Came(exchange int) { came(int32(exchange)) }

// Feed passes bytes of an exchange's stream to the program. It returns the events, and whether the
// program wants no more of the stream.
func Feed(exchange int, bytes []byte) (events string, over bool) {
	room(int32(len(bytes)), false)
	copy(inbox, bytes)
	result := feed(int32(exchange), int32(len(bytes)))
	return string(unsafe.Slice((*byte)(said()), result>>2)), result&1 == 1
}

// Text is a text that the program passes to the page.
func Text(at, length int) string {
	return string(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), at)), length))
}

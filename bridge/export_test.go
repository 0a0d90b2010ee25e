//go:build js && wasm

package bridge

import "unsafe"

// These functions call the program's exports as the page does. Here the program resumes by itself.

// Give passes the data of the next call.
func Give(bytes []byte) {
	room(int32(len(bytes)), true)
	copy(gift, bytes)
}

// Hear is the export "hear", with the message that Give passed.
func Hear() { hear() }

// Operations are the names of the operations, none before Publish.
func Operations() (names []string) {
	if instance == nil {
		return nil
	}
	for name := range instance.operations {
		names = append(names, name)
	}
	return names
}

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

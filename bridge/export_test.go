//go:build js && wasm

package bridge

import "unsafe"

// Feed gives bytes of a pump's stream to the program, as the page does, and tells what it
// says and whether it wants nothing more.
func Feed(number int, bytes []byte) (events string, over bool) {
	room(int32(len(bytes)))
	copy(inbox, bytes)
	result := feed(int32(number), int32(len(bytes)))
	return string(unsafe.Slice((*byte)(said()), result>>1)), result&1 == 1
}

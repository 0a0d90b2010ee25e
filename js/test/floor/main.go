//go:build js && wasm

// Command floor is the least that a Go program with safejs weighs and takes to
// start: make size and make bench hold the core beside it.
package main

import "github.com/hack-pad/safejs"

func main() {
	host, err := safejs.Global().Get("chatsdk")
	if err != nil {
		panic(err)
	}
	if _, err := host.Call("publish", map[string]any{}); err != nil {
		panic(err)
	}
	select {}
}

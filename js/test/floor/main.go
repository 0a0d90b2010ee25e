//go:build js && wasm

// Command floor is the smallest Go program with safejs: make size and make bench
// compare the core's size and start with its own.
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

//go:build js && wasm

// Command wasm is the client core as the JavaScript package chatsdk loads it:
// it publishes the bridge and waits.
package main

import "github.com/chatsdk/chatsdk/bridge"

func main() {
	if err := bridge.Publish(); err != nil {
		panic(err)
	}
}

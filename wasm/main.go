//go:build js && wasm

// Command wasm is the client core that the JavaScript package chatsdk loads. It publishes the bridge
// and waits.
package main

import "github.com/chatsdk/chatsdk/bridge"

func main() {
	if err := bridge.Publish(); err != nil {
		panic(err)
	}
}

//go:build js && wasm

// Package bridge makes the core of package sdk available to JavaScript. It hears and posts messages with
// named fields, JSON that js/src/messages.ts declares; a call of an operation is one. Requests are sent
// with fetch. Begin with Publish. The other side of the border is js/src/bindings.ts, which names the same
// functions and the same host object. No other code on either side knows about the other side.
//
// Only this package uses JavaScript values, and only through safejs. It passes text wherever possible:
// one crossing for a whole answer, and one for all events of a network read.
package bridge

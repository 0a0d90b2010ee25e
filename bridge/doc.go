//go:build js && wasm

// Package bridge gives the core of package sdk to JavaScript: each operation is
// a function that takes JSON and returns a Promise of JSON, and requests go out
// through fetch. Begin with Publish. The other side of the border is
// js/src/bindings.ts, which names the same functions and the same host object;
// nothing else on either side knows the other.
//
// It is the only package that touches JavaScript values, all of them through
// safejs. What crosses is text wherever possible: one crossing for a whole
// answer, and one for all the events of a network read.
package bridge

//go:build js && wasm && !panictest

package bridge

// testable gives the operation as it is; panictest.go has its counterpart.
func (b *bridge) testable(o named) operation { return o.run }

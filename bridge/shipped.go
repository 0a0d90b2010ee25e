//go:build js && wasm && !panictest

package bridge

// testable gives the operations as they are; panictest.go has its counterpart.
func (b *bridge) testable(operations map[string]operation) map[string]operation { return operations }

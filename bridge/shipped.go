//go:build js && wasm && !panictest

package bridge

// testable returns the operation unchanged. panictest.go has the version for tests.
func (b *bridge) testable(_ string, run operation) operation { return run }

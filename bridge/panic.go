//go:build js && wasm

package bridge

import (
	"runtime"
	"strconv"
)

// spawn runs a function in a goroutine. A panic in it ends the instance, but not the page.
func (b *bridge) spawn(run func()) {
	go func() {
		defer b.recover()
		run()
	}()
}

// recover must be deferred. After a panic it tells the page, once, and ends this instance. The page
// rejects all calls under way, ends all requests, and starts a new instance for the next call.
func (b *bridge) recover() {
	fault := recover()
	if fault == nil {
		return
	}
	where := callers()
	b.once.Do(func() {
		_, _ = b.host.Call("crash", "panic: "+faultText(fault)+"; trace "+build+":"+where) // a page that is being closed may not answer
		b.cancel()
	})
}

// faultText is the text of a panic's value.
func faultText(fault any) string {
	switch fault := fault.(type) {
	case error:
		return fault.Error()
	case string:
		return fault
	}
	return "a value that is not a string"
}

// build identifies the file that a page loads; js/build/slim writes it here. With it
// "go run ./js/build/slim trace" finds the map that turns the result of callers into functions and
// lines. The file itself has no such map.
var build = "build-not-mapped"

// callers returns the call stack of the panic that is being recovered, the innermost call first, as
// PCs of the file that a page loads.
func callers() string {
	const (
		ours = 4 // frames to skip: runtime.Callers, callers, recover, and the runtime's function that calls recover
		most = 16
	)
	pcs := make([]uintptr, most)
	var text []byte
	for _, pc := range pcs[:runtime.Callers(ours, pcs)] {
		text = strconv.AppendUint(append(text, ' '), uint64(pc), 16)
	}
	return string(text)
}

//go:build js && wasm

package bridge

import (
	"runtime"
	"strconv"

	"github.com/hack-pad/safejs"
)

// export makes a Go function callable for as long as the program runs. A panic
// in it ends the instance, since one that leaves a js.Func would end the
// program and leave every promise pending.
func (b *bridge) export(run func(args []safejs.Value) any) safejs.Func {
	function, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		defer b.recover()
		return run(args)
	})
	if err != nil {
		panic(err) // FuncOf fails only on types that it does not take
	}
	return function
}

// spawn runs a goroutine whose panic ends the instance, not the page.
func (b *bridge) spawn(run func()) {
	go func() {
		defer b.recover()
		run()
	}()
}

// recover is to be deferred. It tells the page, once, which rejects all calls in
// flight and starts a new instance for the next one, and ends all requests.
func (b *bridge) recover() {
	fault := recover()
	if fault == nil {
		return
	}
	where := callers()
	b.once.Do(func() {
		_, _ = b.host.Call("crash", "panic: "+told(fault)+"; trace "+build+":"+where) // a page that is going away hears nothing
		b.cancel()
	})
}

// told is what a panic says of itself.
func told(fault any) string {
	switch fault := fault.(type) {
	case error:
		return fault.Error()
	case string:
		return fault
	}
	return "a value that is not a string"
}

// build is the identity of the file that a page loads, which js/build/slim writes
// here. It stands for the map with which "go run ./js/build/slim trace" makes functions and
// lines of what callers gives: the file itself has none.
var build = "build-not-mapped"

// callers is where a panic that is being recovered came from, the innermost first, as PCs of the
// file that a page loads.
func callers() string {
	const (
		ours = 4 // runtime.Callers, callers, recover, and what calls it for a panic
		most = 16
	)
	pcs := make([]uintptr, most)
	var text []byte
	for _, pc := range pcs[:runtime.Callers(ours, pcs)] {
		text = strconv.AppendUint(append(text, ' '), uint64(pc), 16)
	}
	return string(text)
}

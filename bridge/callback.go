//go:build js && wasm

package bridge

import (
	"fmt"

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
	b.once.Do(func() {
		_, _ = b.host.Call("crash", fmt.Sprint("panic: ", fault)) // a page that is going away hears nothing
		b.cancel()
	})
}

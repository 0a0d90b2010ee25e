//go:build js && wasm

package bridge

import (
	"context"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// promise runs work in a goroutine and gives a JavaScript Promise of its
// outcome.
func (b *bridge) promise(work func() (wire.JSON, error)) any {
	var resolve, reject safejs.Value
	executor, err := safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		resolve, reject = args[0], args[1]
		return nil
	})
	if err != nil {
		panic(err) // FuncOf fails only on types that it does not take
	}
	defer executor.Release() // Promise calls it before New returns
	promise, err := safejs.MustGetGlobal("Promise").New(executor)
	if err != nil {
		panic(err)
	}
	b.spawn(func() {
		text, err := work()
		if err != nil {
			_, _ = reject.Invoke(b.toJSError(err)) // a Promise's own functions do not throw
			return
		}
		_, _ = resolve.Invoke(string(text))
	})
	return promise
}

// await waits for a promise, or for the end of the context. A rejection is a
// *thrown error. It must not be called from a function that JavaScript called: the
// promise could never settle.
func await(ctx context.Context, promise safejs.Value) (safejs.Value, error) {
	type outcome struct {
		value safejs.Value
		err   error
	}
	done := make(chan outcome, 1)
	var funcs [2]safejs.Func
	// The handler that fires releases both: earlier they would raise errors,
	// never they would leak.
	settle := func(o outcome) any {
		funcs[0].Release()
		funcs[1].Release()
		done <- o
		return nil
	}
	var err error
	if funcs[0], err = safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		return settle(outcome{value: first(args)})
	}); err != nil {
		return safejs.Value{}, err
	}
	if funcs[1], err = safejs.FuncOf(func(_ safejs.Value, args []safejs.Value) any {
		return settle(outcome{err: &thrown{first(args)}})
	}); err != nil {
		funcs[0].Release()
		return safejs.Value{}, err
	}
	if _, err := promise.Call("then", funcs[0], funcs[1]); err != nil {
		funcs[0].Release()
		funcs[1].Release()
		return safejs.Value{}, fromJSError(err)
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return safejs.Value{}, ctx.Err()
	}
}

func first(args []safejs.Value) safejs.Value {
	if len(args) == 0 {
		return safejs.Undefined()
	}
	return args[0]
}

//go:build js && wasm

package bridge

import (
	"context"
	"runtime"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tools reads the definitions of the page's tools. One function of the page, run, carries out all of
// them, until the client's context ends.
func (b *bridge) tools(ctx context.Context, o *options, run safejs.Value) []sdk.Tool {
	var tools []sdk.Tool
	o.get("tools", jsontext.Array).Elements(func(v jsontext.Value) {
		own := options{operation: o.operation, object: v}
		name := own.text("name")
		tools = append(tools, sdk.Tool{
			Name: name, Description: own.text("description"), Parameters: wire.JSON(own.get("parameters", jsontext.Object)),
			Approval: own.text("approval"), Idempotent: own.isSet("idempotent"), Timeout: own.milliseconds("timeout"),
			Run: func(of context.Context, arguments wire.JSON, callID string) (string, error) {
				return b.carryOut(of, ctx, run, name, callID, arguments)
			},
		})
		if err := own.finish(); err != nil && o.err == nil {
			o.err = err
		}
	})
	return tools
}

// carryOut makes the page carry out a call, and waits for its result, which is a text. If the context of
// the call or of the client ends first, it tells the page to end the call.
func (b *bridge) carryOut(ctx, client context.Context, run safejs.Value, name, callID string, arguments wire.JSON) (string, error) {
	defer b.recover() // the core runs this in a separate goroutine
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(client, func() { cancel(context.Cause(client)) })()
	x := b.ask()
	defer x.forget()
	_, err := b.host.Call("tool", x.number, run, name, callID, at(arguments), len(arguments))
	runtime.KeepAlive(arguments)
	if err != nil {
		return "", b.fromJSError(err)
	}
	told, err := x.wait(ctx)
	if ctx.Err() != nil {
		x.abort()
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	return fromJSString(told.value)
}

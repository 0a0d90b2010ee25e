//go:build js && wasm

package bridge

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tools reads the definitions of a client's tools. The page carries them out, until the client's context ends.
func (b *bridge) tools(ctx context.Context, o *options, client int) []sdk.Tool {
	var tools []sdk.Tool
	o.get("tools", jsontext.Array).Elements(func(v jsontext.Value) {
		own := options{operation: o.operation, object: v}
		name := own.text("name")
		tools = append(tools, sdk.Tool{
			Name: name, Description: own.text("description"), Parameters: wire.JSON(own.get("parameters", jsontext.Object)),
			Approval: own.text("approval"), Idempotent: own.isSet("idempotent"), Timeout: own.milliseconds("timeout"),
			Run: func(of context.Context, arguments wire.JSON, callID string) (string, error) {
				return b.carryOut(of, ctx, client, name, callID, arguments)
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
func (b *bridge) carryOut(ctx, open context.Context, client int, name, callID string, arguments wire.JSON) (string, error) {
	defer b.recover() // the core runs this in a separate goroutine
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(open, func() { cancel(context.Cause(open)) })()
	x, question := b.ask("tool", client)
	defer x.forget()
	question.text("name", name)
	question.text("callId", callID)
	question.text("args", string(arguments))
	b.post(question)
	got, err := x.wait(ctx)
	if ctx.Err() != nil {
		m := message("leave")
		m.number("ask", x.number)
		b.post(m)
		return "", context.Cause(ctx)
	}
	if err != nil {
		return "", err
	}
	return fromJSString(got.value)
}

//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"strconv"

	"github.com/hack-pad/safejs"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// call is one call of an operation.
type call struct {
	*options
	ctx    context.Context
	client *client
	// images is an array of Blobs or undefined.
	images safejs.Value
	// out gets the events of each network read as JSON.
	out *outlet
	// onProgress goes to the host's fetch; undefined for none.
	onProgress safejs.Value
}

// operation runs a call and gives the answer as JSON, nil for none.
type operation func(c *call) (wire.JSON, error)

// named is an operation under its name in Bindings in js/src/bindings.ts.
type named struct {
	name string
	run  operation
}

// operations are the functions that the page gets, beside those of sdk.Calls. Each
// takes the client's number, the arguments as JSON, the images, the function for
// events, the AbortSignal, and the function for the progress of an upload.
var operations = []named{
	{"createChat", createChat},
	{"sendMessage", sendMessage},
	{"sendMessageStream", sendMessageStream},
	{"regenerateMessage", regenerateMessage},
	{"resumeStream", resumeStream},
	{"stop", stop},
	{"uploadDocument", uploadDocument},
}

// call begins an operation and gives the promise of its answer.
func (b *bridge) call(name string, run operation, args []safejs.Value) any {
	id, _ := args[0].Int()
	client := b.clients[id]
	return b.promise(func() (wire.JSON, error) {
		text, err := fromJSString(args[1])
		if err != nil {
			return nil, err
		}
		if client == nil {
			return nil, errors.New("bridge: " + name + ": client " + strconv.Itoa(id) + " is not open")
		}
		o, err := newOptions(name, text)
		if err != nil {
			return nil, err
		}
		parent := client.ctx
		if name == "stop" { // an answer that was left before its client was closed is still stopped
			parent = b.ctx
		}
		ctx, done, err := b.abortable(parent, args[4])
		if err != nil {
			return nil, err
		}
		defer done()
		out := &outlet{onEvents: args[3]}
		ctx = context.WithValue(ctx, outletKey{}, out)
		return run(&call{options: o, ctx: ctx, client: client, images: args[2], out: out, onProgress: args[5]})
	})
}

// abortable gives a context that ends with its parent, or when an AbortSignal is
// aborted (DOM, section 3.2), and the function that lets go of the signal.
func (b *bridge) abortable(parent context.Context, signal safejs.Value) (context.Context, func(), error) {
	if typeOf(signal) != safejs.TypeObject {
		return parent, func() {}, nil
	}
	ctx, cancel := context.WithCancel(parent)
	listener := b.export(func([]safejs.Value) any {
		cancel()
		return nil
	})
	done := func() {
		_, _ = signal.Call("removeEventListener", "abort", listener) // an AbortSignal's own functions do not throw
		listener.Release()
		cancel()
	}
	if _, err := signal.Call("addEventListener", "abort", listener); err != nil {
		done()
		return nil, nil, fromJSError(err)
	}
	if aborted, err := signal.Get("aborted"); err == nil {
		if yes, _ := aborted.Truthy(); yes {
			cancel()
		}
	}
	return ctx, done, nil
}

func createChat(c *call) (wire.JSON, error) {
	options := sdk.CreateChatOptions{
		Name: c.text("name"), DocumentKeys: c.texts("documentKeys"), Metadata: c.metadata(), IdempotencyKey: c.id("idempotencyKey"),
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.client.CreateChatJSON(c.ctx, options)
}

func sendMessage(c *call) (wire.JSON, error) {
	message, options, err := c.message()
	if err != nil {
		return nil, err
	}
	return c.client.SendMessageJSON(c.ctx, message, options)
}

// message reads the arguments that both ways to send a message share.
func (c *call) message() (string, sdk.SendMessageOptions, error) {
	message := c.text("message")
	options := sdk.SendMessageOptions{
		ChatID: c.id("chatId"), AgentType: c.text("agentType"), AgentID: c.id("agentId"),
		DocumentKeys: c.texts("documentKeys"), Metadata: c.metadata(), ModelName: c.text("modelName"),
		UseKnowledgebase: c.flag("useKnowledgebase"), IsTest: c.isSet("isTest"), GoogleSearch: c.isSet("googleSearch"),
		FormatInstructions: c.text("formatInstructions"), IgnoreChatHistory: c.isSet("ignoreChatHistory"),
		ExampleJSON: c.text("exampleJson"), SkipStream: c.isSet("skipStream"),
		IdempotencyKey: c.id("idempotencyKey"), DetachOnAbort: c.isSet("detachOnAbort"),
	}
	images, err := c.blobs()
	options.Images = images
	if finish := c.finish(); finish != nil {
		err = finish
	}
	return message, options, err
}

// blobs are the files of the call.
func (c *call) blobs() ([]sdk.File, error) {
	array := c.images
	if array.IsUndefined() {
		return nil, nil
	}
	length, err := array.Length()
	if err != nil {
		return nil, err
	}
	files := make([]sdk.File, length)
	for i := range files {
		value, err := array.Index(i)
		if err != nil {
			return nil, err
		}
		size, err := value.Get("size")
		if err != nil {
			return nil, err
		}
		bytes, _ := size.Float()
		files[i].Content, files[i].Size = blob{value, c.onProgress}, int64(bytes)
	}
	return files, nil
}

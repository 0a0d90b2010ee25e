//go:build js && wasm

package bridge

import (
	"context"
	"errors"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// call is one call of an operation.
type call struct {
	*options
	ctx    context.Context
	client *client
	// out gets the events of each network read as JSON.
	out *outlet
}

// finish returns the first error of the arguments, and gives the call its own settings.
func (c *call) finish() error {
	own := sdk.CallOptions{Timeout: c.milliseconds("timeout"), MaxRetries: int(c.orNone("maxRetries"))}
	if c.isSet("logger") {
		own.Logger = func(entry sdk.LogEntry) { c.out.b.log(c.out.call, 0, entry) }
	}
	c.ctx = sdk.WithCallOptions(c.ctx, own)
	return c.options.finish()
}

// operation runs a call and returns the result as JSON, or nil if there is none.
type operation func(c *call) (wire.JSON, error)

// operations are the calls that the page can make besides sdk.Calls. Their names are OperationName in js/src/bindings.ts.
var operations = map[string]operation{
	"createChat":        createChat,
	"sendMessage":       sendMessage,
	"sendMessageStream": sendMessageStream,
	"editMessage":       editMessage,
	"regenerateMessage": regenerateMessage,
	"resumeStream":      resumeStream,
	"stop":              stop,
	"uploadDocument":    uploadDocument,
}

// begin begins a call of a client. It posts the result, JSON or nothing, or the failure.
func (b *bridge) begin(number, clientID int, operation string, args []byte) {
	client := b.clients[clientID]
	parent := b.ctx // for a stop: closing the client must not cancel the stop of an answer that the reader left before
	if client != nil && operation != "stop" {
		parent = client.ctx
	}
	ctx, cancel := context.WithCancel(parent)
	b.running[number] = cancel
	b.spawn(func() {
		var answer wire.JSON
		options, err := newOptions(operation, args)
		switch {
		case client == nil:
			err = errors.New("bridge: " + operation + ": client " + strconv.Itoa(clientID) + " is not open")
		case client.fault != nil:
			err = client.fault
		}
		if err == nil {
			out := &outlet{b: b, call: number}
			ctx = context.WithValue(ctx, outletKey{}, out)
			answer, err = b.operations[operation](&call{options, ctx, client, out})
		}
		delete(b.running, number)
		cancel()
		b.settle(number, answer, err)
	})
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

// message reads the arguments that all operations that send a message share.
func (c *call) message() (string, sdk.SendMessageOptions, error) {
	message := c.text("message")
	options := sdk.SendMessageOptions{
		ChatID: c.id("chatId"), AgentType: c.text("agentType"), AgentID: c.id("agentId"),
		DocumentKeys: c.texts("documentKeys"), Metadata: c.metadata(), ModelName: c.text("modelName"),
		UseKnowledgebase: c.flag("useKnowledgebase"), IsTest: c.isSet("isTest"), GoogleSearch: c.isSet("googleSearch"),
		FormatInstructions: c.text("formatInstructions"), IgnoreChatHistory: c.isSet("ignoreChatHistory"),
		ExampleJSON: c.text("exampleJson"), SkipStream: c.isSet("skipStream"), ParentID: c.id("parentId"), Edits: c.id("edits"),
		IdempotencyKey: c.id("idempotencyKey"), DetachOnAbort: c.isSet("detachOnAbort"), Reasoning: c.reasoning(),
	}
	images, err := c.blobs()
	options.Images = images
	if finish := c.finish(); finish != nil {
		err = finish
	}
	return message, options, err
}

// blobs are the files of the call, and then its texts that stay in the page, with sizes below 0.
func (c *call) blobs() ([]sdk.File, error) {
	sizesText, err := c.out.b.host.Call("sizes", c.out.call)
	if err != nil || sizesText.IsUndefined() {
		return nil, err
	}
	text, err := fromJSString(sizesText)
	if err != nil {
		return nil, err
	}
	sizes, err := jsontext.Parse([]byte(text))
	var files []sdk.File
	sizes.Elements(func(size jsontext.Value) {
		file := sdk.File{Content: blob(len(files)), Size: size.Int()}
		if file.Size < 0 {
			file = sdk.File{Content: kept{blob(len(files))}, Size: -file.Size}
		}
		files = append(files, file)
	})
	return files, err
}

package sdk

import (
	"context"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// SendMessageOptions are the options of a message. All are optional: the service has a default for
// each option that is unset.
type SendMessageOptions struct {
	// ChatID is the chat. Empty creates a new chat, whose id comes with the answer.
	ChatID string
	// ParentID is the id of the answer that the message follows. Empty means the last answer of the
	// chat's path.
	ParentID string
	// Edits is the id of a question in the chat. The message becomes another version of it, and
	// keeps its images unless Images is set. It cannot be combined with ParentID.
	Edits string
	// AgentType is how the agent answers: wire.AgentChat, or wire.AgentDocument to answer only from
	// documents. Empty means the agent's own type.
	AgentType string
	// AgentID is the agent. Empty means the first one that the caller may use.
	AgentID string
	// DocumentKeys are the documents to search. Nil means the chat's, else the agent's, else all;
	// empty means none.
	DocumentKeys []string
	// Images are sent with the message.
	Images []File
	// Metadata is a JSON object that is stored with the message. Nil means no metadata.
	Metadata wire.JSON
	// ModelName is the model. Empty means the agent's model.
	ModelName string
	// UseKnowledgebase says whether to search documents. Nil means only if the message or its chat
	// has document keys.
	UseKnowledgebase *bool
	// IsTest marks the message as a test.
	IsTest bool
	// GoogleSearch searches the web.
	GoogleSearch bool
	// FormatInstructions are instructions for the form of the answer. A service without a language
	// model refuses them.
	FormatInstructions string
	// IgnoreChatHistory hides the earlier messages of the chat from the model.
	IgnoreChatHistory bool
	// ExampleJSON is JSON text that shows the shape that the answer should have.
	ExampleJSON string
	// Reasoning asks for what the model thinks before it answers: the stream then has events wire.EventReasoning, and the
	// answer a Reasoning. It changes nothing if the agent does not show it.
	Reasoning bool
	// SkipStream asks for the answer in one piece. SendMessage always does.
	SkipStream bool
	// IdempotencyKey: all sends with the same key within 24 hours count as one message. It has 1 to
	// 255 visible ASCII characters. Empty means a new key for each call; all tries of a call use the
	// same key.
	IdempotencyKey string
	// DetachOnAbort lets the service finish the answer when the context ends or the reader leaves.
	// By default the answer is stopped, unless it waits for a tool call.
	DetachOnAbort bool
}

// form builds the form that sends a message.
func (c *Client) form(operation, message string, o *SendMessageOptions) ([]FormField, error) {
	if strings.TrimSpace(message) == "" {
		return nil, wrong(operation, "message", "is blank")
	}
	if err := checkMetadata(operation, o.Metadata); err != nil {
		return nil, err
	}
	for _, id := range []struct{ field, value string }{{"chatId", o.ChatID}, {"agentId", o.AgentID}, {"parentId", o.ParentID}, {"edits", o.Edits}} {
		if id.value == "" {
			continue
		}
		if err := checkID(operation, id.field, id.value); err != nil {
			return nil, err
		}
	}
	for i := range o.Images {
		if o.Images[i].Content == nil {
			return nil, wrong(operation, "images", "["+strconv.Itoa(i)+"] has no Content")
		}
	}
	f := make(form, 0, 8)
	f.add(wire.FieldMessage, message)
	f.add(wire.FieldProjectID, c.config.ProjectID)
	f.add(wire.FieldToolCalls, "true") // without it the service denies calls that need approval
	f.add(wire.FieldPageTools, string(c.pageTools()))
	f.add(wire.FieldChatID, o.ChatID)
	f.add(wire.FieldAgentType, o.AgentType)
	f.add(wire.FieldAgentID, o.AgentID)
	f.add(wire.FieldDocumentKeys, listed(o.DocumentKeys))
	f.add(wire.FieldMetadata, string(o.Metadata))
	f.add(wire.FieldModelName, o.ModelName)
	f.add(wire.FieldUseKnowledgebase, written(o.UseKnowledgebase, strconv.FormatBool))
	f.add(wire.FieldIsTest, isSet(o.IsTest))
	f.add(wire.FieldGoogleSearch, isSet(o.GoogleSearch))
	f.add(wire.FieldFormatInstructions, o.FormatInstructions)
	f.add(wire.FieldIgnoreChatHistory, isSet(o.IgnoreChatHistory))
	f.add(wire.FieldExampleJSON, o.ExampleJSON)
	f.add(wire.FieldReasoning, isSet(o.Reasoning))
	f.add(wire.FieldSkipStream, isSet(o.SkipStream))
	f.add(wire.FieldParentID, o.ParentID)
	f.add(wire.FieldEdits, o.Edits)
	for _, image := range o.Images {
		f = append(f, FormField{Name: wire.FieldImages, File: &image})
	}
	return f, nil
}

// form is a form that is being written.
type form []FormField

// add adds a text, unless it is empty.
func (f *form) add(name, text string) {
	if text != "" {
		*f = append(*f, FormField{Name: name, Text: text})
	}
}

// isSet is the form's text for a flag, empty if the flag is not set.
func isSet(flag bool) string {
	if flag {
		return "true"
	}
	return ""
}

// sendPath is the path that messages are sent to.
const sendPath = "/v3/chat/message"

// SendMessage sends a message and waits for the whole answer. If the answer waits for a decision
// about a tool call, or for a tool call that takes long, it is returned unfinished, without a
// FinishReason and with a StreamID: Client.Resume returns the rest.
func (c *Client) SendMessage(ctx context.Context, message string, options SendMessageOptions) (*SendMessageResponse, error) {
	text, err := c.SendMessageJSON(ctx, message, options)
	return decoded(text, err, decodeSend)
}

// SendMessageJSON is SendMessage without decoding the response.
func (c *Client) SendMessageJSON(ctx context.Context, message string, options SendMessageOptions) (wire.JSON, error) {
	const operation = "sendMessage"
	options.SkipStream = true
	request, err := c.sendRequest(operation, message, &options)
	if err != nil {
		return nil, err
	}
	a, err := c.call(ctx, operation, request)
	if err != nil {
		if ctx.Err() != nil && request.sent && !options.DetachOnAbort {
			go func() { _, _ = c.StopJSON(context.WithoutCancel(ctx), "", request.Header[keyHeader]) }()
		}
		return nil, err
	}
	whole, err := c.sent(a)
	if err == nil && whole.Get("stream_id").Exists() {
		c.followed.ask(text(whole, "message_id"))
	}
	return wire.JSON(whole), err
}

// sendRequest builds the request of a message.
func (c *Client) sendRequest(operation, message string, options *SendMessageOptions) (*Request, error) {
	form, err := c.form(operation, message, options)
	if err != nil {
		return nil, err
	}
	header, err := keyed(operation, options.IdempotencyKey)
	return &Request{Method: "POST", URL: sendPath, Form: form, Header: header}, err
}

// sent checks the response to a message.
func (c *Client) sent(a *reply) (jsontext.Value, error) {
	a.value = c.normalField(a.value, "message")
	return a.value, a.fits(sendShape)
}

package sdk

import (
	"context"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// SendMessageOptions are the options of a message; all may be left out. One
// that is unset sends nothing, and the service's default holds.
type SendMessageOptions struct {
	// ChatID is the chat; empty makes a new one, which the answer names.
	ChatID string
	// AgentType is the manner of this answer: wire.AgentChat, or
	// wire.AgentDocument to answer from documents alone.
	AgentType string
	// AgentID is the agent; empty is the first that the caller may use.
	AgentID string
	// DocumentKeys are the documents to search. Nil is unset; empty is none.
	DocumentKeys []string
	// Images are sent with the message.
	Images []File
	// Metadata is kept with the message; see CreateChatOptions.Metadata. Nil is unset.
	Metadata map[string]any
	// ModelName is the model; empty is the agent's.
	ModelName string
	// UseKnowledgebase searches documents, or with false keeps DocumentKeys
	// from turning the search on. Nil is unset.
	UseKnowledgebase *bool
	// IsTest marks the message as a test.
	IsTest bool
	// GoogleSearch searches the web.
	GoogleSearch bool
	// FormatInstructions say how the answer should look.
	FormatInstructions string
	// IgnoreChatHistory asks without what was said before.
	IgnoreChatHistory bool
	// ExampleJSON is a JSON text whose shape the answer is to have.
	ExampleJSON string
	// SkipStream asks for the answer in one piece. SendMessage always does.
	SkipStream bool
}

// form makes the form of a send.
func (c *Client) form(operation, message string, o *SendMessageOptions) ([]FormField, error) {
	if strings.TrimSpace(message) == "" {
		return nil, &ArgumentError{operation, "message", "is blank"}
	}
	metadata, err := metadataText(operation, o.Metadata)
	if err != nil {
		return nil, err
	}
	for _, id := range []struct{ field, value string }{{"chatId", o.ChatID}, {"agentId", o.AgentID}} {
		if id.value == "" {
			continue
		}
		if err := checkID(operation, id.field, id.value); err != nil {
			return nil, err
		}
	}
	var f form
	f.text(wire.FieldMessage, message)
	f.text(wire.FieldProjectID, c.config.ProjectID)
	f.text(wire.FieldChatID, o.ChatID)
	f.text(wire.FieldAgentType, o.AgentType)
	f.text(wire.FieldAgentID, o.AgentID)
	if o.DocumentKeys != nil {
		f.text(wire.FieldDocumentKeys, string(appendStrings(nil, o.DocumentKeys)))
	}
	f.text(wire.FieldMetadata, string(metadata))
	f.text(wire.FieldModelName, o.ModelName)
	if o.UseKnowledgebase != nil {
		f.text(wire.FieldUseKnowledgebase, strconv.FormatBool(*o.UseKnowledgebase))
	}
	f.flag(wire.FieldIsTest, o.IsTest)
	f.flag(wire.FieldGoogleSearch, o.GoogleSearch)
	f.text(wire.FieldFormatInstructions, o.FormatInstructions)
	f.flag(wire.FieldIgnoreChatHistory, o.IgnoreChatHistory)
	f.text(wire.FieldExampleJSON, o.ExampleJSON)
	f.flag(wire.FieldSkipStream, o.SkipStream)
	for i := range o.Images {
		f = append(f, FormField{Name: wire.FieldImages, File: &o.Images[i]})
	}
	return f, nil
}

// form collects the fields that are set.
type form []FormField

func (f *form) text(name, value string) {
	if value != "" {
		*f = append(*f, FormField{Name: name, Text: value})
	}
}

func (f *form) flag(name string, value bool) {
	if value {
		f.text(name, "true")
	}
}

// sendPath is where messages go.
const sendPath = "/v3/chat/message"

// SendMessage sends a message and waits for the whole answer.
func (c *Client) SendMessage(ctx context.Context, message string, options SendMessageOptions) (*SendMessageResponse, error) {
	const operation = "sendMessage"
	options.SkipStream = true
	form, err := c.form(operation, message, &options)
	if err != nil {
		return nil, err
	}
	body, err := c.call(ctx, operation, &Request{Method: "POST", URL: sendPath, Form: form})
	if err != nil {
		return nil, err
	}
	return c.decodeSend(operation, body)
}

// decodeSend reads the answer to a send.
func (c *Client) decodeSend(operation string, body []byte) (*SendMessageResponse, error) {
	v, err := answer(operation, body)
	if err != nil {
		return nil, err
	}
	if v.Get("message") == nil {
		return nil, &APIError{Message: operation + ": the answer has no message"}
	}
	var arena fastjson.Arena
	if c.normalField(&arena, v, "message") {
		body = appendValue(nil, v)
	}
	response := SendMessageResponse{
		Message: decodeMessage(v.Get("message")), ChatID: text(v, "chat_id"), MessageID: text(v, "message_id"),
		ChatName: text(v, "chat_name"), Raw: body,
	}
	return &response, nil
}

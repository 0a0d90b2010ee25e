package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

type argumentsVector struct {
	Name   string          `json:"name"`
	Method string          `json:"method"`
	Args   json.RawMessage `json:"args"`
	Error  wrong           `json:"error"`
	Go     *bool           `json:"go"`
}

// arguments has the arguments of all methods.
type arguments struct {
	ChatID    string `json:"chatId"`
	MessageID string `json:"messageId"`
	NewName   string `json:"newName"`
	Feedback  bool   `json:"feedback"`
	Cursor    int64  `json:"cursor"`
	Limit     int    `json:"limit"`
	Message   string `json:"message"`
	AgentID   string `json:"agentId"`
	UserID    string `json:"userId"`
	Role      string `json:"role"`
	ExpiresIn int64  `json:"expiresIn"`

	StreamID       string `json:"streamId"`
	IdempotencyKey string `json:"idempotencyKey"`

	DocumentKey  string `json:"documentKey"`
	Before       string `json:"before"`
	Start        int    `json:"start"`
	End          *int   `json:"end"`
	Page         int    `json:"page"`
	ItemsPerPage int    `json:"itemsPerPage"`

	MemoryID    string   `json:"memoryId"`
	Status      string   `json:"status"`
	Type        string   `json:"type"`
	MaxMemories *int     `json:"maxMemories"`
	MemoryTypes []string `json:"memoryTypes"`

	MemoryContent string   `json:"memoryContent"`
	MemoryType    string   `json:"memoryType"`
	Action        string   `json:"action"`
	MemoryIDs     []string `json:"memoryIds"`
}

func (a arguments) options() sdk.SendMessageOptions {
	return sdk.SendMessageOptions{ChatID: a.ChatID, AgentID: a.AgentID, IdempotencyKey: a.IdempotencyKey}
}

// serverMethods are those that a page's core does not have.
var serverMethods = map[string]func(context.Context, *sdk.Client, arguments) error{}

// methods call each method with the given arguments.
func methods() map[string]func(context.Context, *sdk.Client, arguments) error {
	all := map[string]func(context.Context, *sdk.Client, arguments) error{
		"listChats": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListChats(ctx, sdk.ListChatsOptions{Cursor: a.Cursor, Limit: a.Limit})
			return err
		},
		"getChatHistory": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.GetChatHistory(ctx, a.ChatID, sdk.GetChatHistoryOptions{Before: a.Before, Limit: a.Limit})
			return err
		},
		"deleteChat": func(ctx context.Context, c *sdk.Client, a arguments) error { return c.DeleteChat(ctx, a.ChatID) },
		"updateChatName": func(ctx context.Context, c *sdk.Client, a arguments) error {
			return c.UpdateChatName(ctx, a.ChatID, a.NewName)
		},
		"sendFeedback": func(ctx context.Context, c *sdk.Client, a arguments) error {
			return c.SendFeedback(ctx, a.MessageID, a.ChatID, a.Feedback)
		},
		"sendMessage": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.SendMessage(ctx, a.Message, a.options())
			return err
		},
		"sendMessageStream": func(ctx context.Context, c *sdk.Client, a arguments) error {
			heard := func() { panic("a callback was called") }
			return c.SendMessageStream(ctx, a.Message, sdk.SendMessageStreamOptions{
				SendMessageOptions: a.options(), OnError: func(error) { heard() }, OnMessageEnd: heard,
			})
		},
		"createChat": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.CreateChat(ctx, sdk.CreateChatOptions{IdempotencyKey: a.IdempotencyKey})
			return err
		},
		"regenerateMessage": func(ctx context.Context, c *sdk.Client, a arguments) error {
			return drain(c.Regenerate(ctx, a.ChatID, a.MessageID, sdk.RegenerateOptions{IdempotencyKey: a.IdempotencyKey, DetachOnAbort: true}))
		},
		"resumeStream": func(ctx context.Context, c *sdk.Client, a arguments) error {
			return drain(c.Resume(ctx, a.ChatID, sdk.ResumeOptions{}))
		},
		"stop": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.Stop(ctx, a.StreamID, a.IdempotencyKey)
			return err
		},
		"uploadDocument": func(ctx context.Context, c *sdk.Client, a arguments) error {
			file := sdk.File{Name: "a.txt", Content: strings.NewReader("a")}
			_, err := c.UploadDocument(ctx, file, sdk.UploadDocumentOptions{IdempotencyKey: a.IdempotencyKey})
			return err
		},
		"listDocuments": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.ListDocuments(ctx, sdk.ListDocumentsOptions{Page: a.Page, ItemsPerPage: a.ItemsPerPage, Limit: a.Limit})
			return err
		},
		"getDocument": func(ctx context.Context, c *sdk.Client, a arguments) error {
			_, err := c.GetDocument(ctx, a.DocumentKey, sdk.GetDocumentOptions{Start: a.Start, End: a.End})
			return err
		},
		"deleteDocument": func(ctx context.Context, c *sdk.Client, a arguments) error {
			return c.DeleteDocument(ctx, a.DocumentKey)
		},
	}
	maps.Copy(all, memoryMethods())
	maps.Copy(all, reviewMethods())
	maps.Copy(all, serverMethods)
	return all
}

// drain reads all events.
func drain(events iter.Seq2[sdk.Event, error]) error {
	for _, err := range events {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestArgumentVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors[argumentsVector](t, "arguments.json") {
		if !goAsWell(v.Go) || v.Method == "createAccessToken" && runtime.GOOS == "js" {
			continue
		}
		t.Run(v.Method+" with "+v.Name, func(t *testing.T) {
			t.Parallel()
			decoder := json.NewDecoder(bytes.NewReader(v.Args))
			decoder.DisallowUnknownFields()
			var args arguments
			require.NoError(t, decoder.Decode(&args))
			client, script := open(t, serverConfig())
			err := methods()[v.Method](t.Context(), client, args)
			requireArgument(t, err, v.Method, v.Error.Field)
			require.Empty(t, script.requests)
		})
	}
}

// Command client reads orders as lines of JSON, runs them with the Go SDK, and writes the results
// as lines of JSON. Package compat_test builds it with two versions of the SDK, so it uses only
// what both have.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// order is a line of the input. Orders run at the same time.
type order struct {
	N    int    `json:"n"`
	Do   string `json:"do"`
	Chat string `json:"chat"`
	ID   string `json:"id"`
	Text string `json:"text"`
	Key  string `json:"key"`
	Yes  bool   `json:"yes"`
	// Documents are document keys.
	Documents []string `json:"documents"`
}

// told is a line of the output: an event of an order, or its end.
type told struct {
	N     int    `json:"n"`
	Event *event `json:"event,omitempty"`
	Over  bool   `json:"over,omitempty"`
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
	// Status and Code are those of an *sdk.APIError.
	Status int    `json:"status,omitempty"`
	Code   string `json:"code,omitempty"`
}

type event struct {
	Type   string    `json:"type"`
	ID     int64     `json:"id"`
	Text   string    `json:"text,omitempty"`
	Object wire.JSON `json:"object,omitempty"`
}

func main() {
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: os.Getenv("BASE_URL"), ProjectID: "demo", APIKey: os.Getenv("API_KEY"), APISecret: os.Getenv("API_SECRET"), UserID: os.Getenv("USER_ID"),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	p := &program{client: client, output: json.NewEncoder(os.Stdout)}
	var running sync.WaitGroup
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var o order
		if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		running.Go(func() { p.run(context.Background(), o) })
	}
	running.Wait()
}

type program struct {
	client *sdk.Client
	mu     sync.Mutex
	output *json.Encoder
}

func (p *program) tell(line told) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.output.Encode(line) // the reader may be gone
}

func (p *program) run(ctx context.Context, o order) {
	end := told{N: o.N, Over: true}
	value, err := p.do(ctx, o)
	var refusal *sdk.APIError
	if errors.As(err, &refusal) {
		end.Status, end.Code = refusal.Status, refusal.Code
	}
	if err != nil {
		end.Error = err.Error()
	} else {
		end.Value = value
	}
	p.tell(end)
}

// do runs an order.
func (p *program) do(ctx context.Context, o order) (any, error) {
	c := p.client
	switch o.Do {
	case "agents":
		return c.ListAgents(ctx)
	case "createChat":
		return c.CreateChat(ctx, sdk.CreateChatOptions{Name: o.Text, DocumentKeys: o.Documents})
	case "listChats":
		return c.ListChats(ctx, sdk.ListChatsOptions{})
	case "history":
		return c.GetChatHistory(ctx, o.Chat, sdk.GetChatHistoryOptions{})
	case "rename":
		return nil, c.UpdateChatName(ctx, o.Chat, o.Text)
	case "deleteChat":
		return nil, c.DeleteChat(ctx, o.Chat)
	case "feedback":
		return nil, c.SendFeedback(ctx, o.ID, o.Chat, o.Yes)
	case "send":
		return c.SendMessage(ctx, o.Text, o.options())
	case "stream":
		return p.follow(o, c.Stream(ctx, o.Text, o.options()))
	case "regenerate":
		return p.follow(o, c.Regenerate(ctx, o.Chat, o.ID, sdk.RegenerateOptions{IdempotencyKey: o.Key}))
	case "resume":
		return p.follow(o, c.Resume(ctx, o.Chat, sdk.ResumeOptions{DetachOnAbort: true}))
	case "stop":
		return c.Stop(ctx, o.ID, o.Key)
	case "upload":
		return c.UploadDocument(ctx, sdk.File{Name: o.ID, Content: strings.NewReader(o.Text)}, sdk.UploadDocumentOptions{IdempotencyKey: o.Key})
	case "documents":
		return c.ListDocuments(ctx, sdk.ListDocumentsOptions{})
	case "document":
		return c.GetDocument(ctx, o.ID, sdk.GetDocumentOptions{})
	case "deleteDocument":
		return nil, c.DeleteDocument(ctx, o.ID)
	}
	return p.remember(ctx, o)
}

// remember runs an order about memories.
func (p *program) remember(ctx context.Context, o order) (any, error) {
	c := p.client
	switch o.Do {
	case "settings":
		return c.GetMemorySettings(ctx, o.ID)
	case "enable":
		return c.UpdateMemorySettings(ctx, o.ID, sdk.MemorySettings{MemoryEnabled: &o.Yes})
	case "memories":
		return c.ListMemories(ctx, o.ID, sdk.ListMemoriesOptions{})
	case "pending":
		return c.ListPendingMemories(ctx, sdk.ListPendingMemoriesOptions{})
	case "approve":
		return c.ApproveMemory(ctx, o.ID)
	case "reject":
		return c.RejectMemory(ctx, o.ID)
	case "deleteMemory":
		return nil, c.DeleteMemory(ctx, o.ID)
	case "stats":
		return c.GetMemoryStats(ctx, o.ID)
	}
	return nil, fmt.Errorf("unknown order %q", o.Do)
}

func (o order) options() sdk.SendMessageOptions {
	return sdk.SendMessageOptions{ChatID: o.Chat, IdempotencyKey: o.Key, DocumentKeys: o.Documents, DetachOnAbort: true}
}

// follow writes the events of an answer, and returns its message.
func (p *program) follow(o order, events iter.Seq2[sdk.Event, error]) (any, error) {
	var message *sdk.Message
	for e, err := range events {
		if err != nil {
			return nil, err
		}
		if e.Message != nil {
			message = e.Message
		}
		p.tell(told{N: o.N, Event: &event{Type: e.Type, ID: e.ID, Text: e.Text, Object: e.Object}})
	}
	return message, nil
}

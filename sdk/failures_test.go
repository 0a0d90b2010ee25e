package sdk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// calls are all calls that send a request, by name.
func calls() map[string]func(context.Context, *sdk.Client) error {
	all := methods()
	delete(all, "createAccessToken")
	list := map[string]func(context.Context, *sdk.Client) error{
		"listAgents": func(ctx context.Context, c *sdk.Client) error {
			_, err := c.ListAgents(ctx)
			return err
		},
		"sendMessageStream": func(ctx context.Context, c *sdk.Client) error {
			return c.SendMessageStream(ctx, "hi", sdk.SendMessageStreamOptions{SendMessageOptions: sdk.SendMessageOptions{DetachOnAbort: true}})
		},
		"sendMessage": func(ctx context.Context, c *sdk.Client) error {
			_, err := c.SendMessage(ctx, "hi", sdk.SendMessageOptions{DetachOnAbort: true})
			return err
		},
	}
	delete(all, "sendMessageStream")
	delete(all, "sendMessage")
	ofSource := all["memoriesOfSource"]
	list["memoriesOfSource"] = func(ctx context.Context, c *sdk.Client) error {
		return ofSource(ctx, c, arguments{AgentID: "a1", ChatID: "c1"}) // it takes either a message or a chat
	}
	delete(all, "memoriesOfSource")
	for name, method := range all {
		list[name] = func(ctx context.Context, c *sdk.Client) error {
			return method(ctx, c, arguments{
				ChatID: "c1", MessageID: "m1", Message: "hi", AgentID: "a1", UserID: "u1", MemoryID: "m1", DocumentKey: "d1", StreamID: "s1",
				MemoryContent: "User has a cat", MemoryType: wire.MemoryFact, Action: wire.ActionApprove, MemoryIDs: []string{"m1"},
			})
		}
	}
	return list
}

func TestEveryCallFails(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	tests := []struct {
		name  string
		reply reply
		want  func(call string) *sdk.APIError
	}{
		{"with the service's error", reply{status: 404, body: reads(`{"error":{"code":"ENTITY_NOT_FOUND","message":"Not found"}}`)},
			func(string) *sdk.APIError {
				return &sdk.APIError{Message: "Not found", Status: 404, Code: wire.CodeNotFound}
			}},
		{"without a connection", reply{err: refused},
			func(call string) *sdk.APIError {
				return &sdk.APIError{
					Message: call + ": https://api.example.com could not be reached, or the connection was lost", Code: "NETWORK", Cause: refused,
				}
			}},
		{"with a body that breaks off", reply{header: map[string]string{"x-request-id": "r"}, body: &body{left: [][]byte{[]byte(`{"mess`)}, end: io.ErrUnexpectedEOF}},
			func(call string) *sdk.APIError {
				return &sdk.APIError{
					Message: call + ": https://api.example.com could not be reached, or the connection was lost", Code: "NETWORK",
					RequestID: "r", Cause: io.ErrUnexpectedEOF,
				}
			}},
		{"with a web page", reply{header: map[string]string{"content-type": "text/html"}, body: reads("<html></html>")},
			func(call string) *sdk.APIError {
				return &sdk.APIError{
					Message: call + ": the server answered 200 with a web page instead of JSON; check baseUrl and any proxy in between", Status: 200,
				}
			}},
		{"with a text", reply{header: map[string]string{"content-type": "text/plain"}, body: reads("somebody's words")},
			func(call string) *sdk.APIError {
				return &sdk.APIError{Message: call + ": the server answered 200 with text/plain instead of JSON", Status: 200}
			}},
		{"with JSON cut short", reply{header: map[string]string{"x-request-id": "r"}, body: reads(`{"message":{"content":"a"`)},
			func(call string) *sdk.APIError {
				return &sdk.APIError{Message: call + ": the answer cannot be read: it is not JSON", Status: 200, RequestID: "r"}
			}},
		{"with nothing", reply{header: map[string]string{"x-request-id": "r"}},
			func(call string) *sdk.APIError {
				return &sdk.APIError{
					Message: call + ": https://api.example.com could not be reached, or the connection was lost", Code: "NETWORK",
					RequestID: "r", Cause: errors.New("the response is incomplete"),
				}
			}},
		{"with a status that was cut off", reply{status: 20},
			func(call string) *sdk.APIError {
				return &sdk.APIError{
					Message: call + ": https://api.example.com could not be reached, or the connection was lost", Code: "NETWORK",
					Cause: errors.New("the response is incomplete"),
				}
			}},
		{"with JSON of another kind", reply{body: reads(`"a"`)},
			func(call string) *sdk.APIError {
				problem := "it is not a JSON object"
				if call == "listUserMemories" {
					problem = "it is a string, want an object"
				}
				return &sdk.APIError{Message: call + ": the answer cannot be read: " + problem, Status: 200}
			}},
		{"with JSON that is nested too deep", reply{body: reads(`{"a":` + strings.Repeat("[", 1<<20))},
			func(call string) *sdk.APIError {
				return &sdk.APIError{Message: call + ": the answer cannot be read: its JSON is nested deeper than 512", Status: 200}
			}},
	}
	for _, test := range tests {
		for name, call := range calls() {
			t.Run(name+" "+test.name, func(t *testing.T) {
				t.Parallel()
				r := test.reply
				if r.body != nil {
					r.body = &body{left: append([][]byte(nil), r.body.left...), end: r.body.end}
				}
				client, _ := openPage(t, r)
				require.Equal(t, test.want(name), call(t.Context(), client))
			})
		}
	}
}

// A Transport may refuse an argument. The browser's does if an image is not a File.
func TestAnArgumentThatTheTransportRefuses(t *testing.T) {
	t.Parallel()
	refused := &sdk.ArgumentError{Operation: "sendMessage", Field: "images", Problem: "is not a File"}
	for name, call := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, reply{err: fmt.Errorf("transport: %w", refused)})
			require.Equal(t, refused, call(t.Context(), client))
		})
	}
}

func TestEveryCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		reply reply
	}{
		{"before the response", reply{hang: true}},
		{"in a response", reply{body: &body{left: [][]byte{[]byte(`{"mess`)}, hang: true}}},
		{"in an error", reply{status: 500, body: &body{left: [][]byte{[]byte(`{"detail":"`)}, hang: true}}},
		{"in an event stream", reply{header: streamHeader(), body: &body{left: [][]byte{[]byte("event: start\ndata: {}\n\n")}, hang: true}}},
	}
	for _, test := range tests {
		for name, call := range calls() {
			if test.name == "in an event stream" && name != "sendMessageStream" {
				continue
			}
			t.Run(name+" "+test.name, func(t *testing.T) {
				t.Parallel()
				r := test.reply
				if r.body != nil {
					r.body = &body{left: append([][]byte(nil), r.body.left...), hang: true}
				}
				client, script := openPage(t, r)
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				go func() { ended <- call(ctx, client) }()
				<-script.hanging
				cancel()
				require.Equal(t, context.Canceled, <-ended)
				require.Len(t, script.requests, 1)
			})
		}
	}
}

func TestNoCallBeginsInAContextThatHasEnded(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for name, call := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t)
			require.Equal(t, context.DeadlineExceeded, call(ctx, client))
			require.Empty(t, script.requests)
		})
	}
}

func TestResponsesWithoutTheirResult(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, call, body, want string }{
		{"a chat without an id", "createChat", `{"name":"N"}`, "createChat: the answer cannot be read: it has no chat_id"},
		{"no message", "sendMessage", `{"chat_id":"c1"}`, "sendMessage: the answer cannot be read: it has no message"},
		{"a message that is null", "sendMessage", `{"message":null}`, "sendMessage: the answer cannot be read: it has no message"},
		{"a message that is a number", "sendMessageStream", `{"message":5}`, "sendMessageStream: the answer cannot be read: message is a number, want an object"},
		{"a message that is a list", "sendMessageStream", `{"message":["a"]}`, "sendMessageStream: the answer cannot be read: message is an array, want an object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, jsonReply(test.body))
			require.Equal(t, &sdk.APIError{Message: test.want, Status: 200}, calls()[test.call](t.Context(), client))
		})
	}
}

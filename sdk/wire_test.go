package sdk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"hash/crc32"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The service reads and writes the structs of package wire with encoding/json, and the SDK with its own
// code. These tests fill every field, so that they fail if that code forgets one.

func agree[T any](t *testing.T, call func(*sdk.Client) (*T, error)) {
	t.Helper()
	want := filled[T]()
	client, _ := openPage(t, jsonReply(string(marshal(t, want))))
	got, err := call(client)
	require.NoError(t, err)
	takeRaw(t, reflect.ValueOf(got).Elem())
	require.Equal(t, want, *got)
}

// answers compare the SDK's reading of each response with that of encoding/json.
func answers() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.Chat](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.Chat, error) { return c.CreateChat(t.Context(), sdk.CreateChatOptions{}) })
		},
		reflect.TypeFor[wire.ListChatsResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListChatsResponse, error) {
				return c.ListChats(t.Context(), sdk.ListChatsOptions{})
			})
		},
		reflect.TypeFor[wire.ChatHistoryResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ChatHistoryResponse, error) {
				return c.GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
			})
		},
		reflect.TypeFor[wire.SendMessageResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.SendMessageResponse, error) {
				return c.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
			})
		},
		reflect.TypeFor[wire.ListAgentsResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListAgentsResponse, error) { return c.ListAgents(t.Context()) })
		},
		reflect.TypeFor[wire.ListUserMemoriesResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListUserMemoriesResponse, error) {
				return c.ListUserMemories(t.Context(), "a1", "u1", sdk.ListUserMemoriesOptions{Page: sdk.Page{Limit: 1}})
			})
		},
		reflect.TypeFor[wire.MemorySettings](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.MemorySettings, error) { return c.GetMemorySettings(t.Context(), "a1") })
		},
		reflect.TypeFor[wire.MemorySettingsResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.MemorySettingsResponse, error) {
				return c.UpdateMemorySettings(t.Context(), "a1", wire.MemorySettings{})
			})
		},
		reflect.TypeFor[wire.ListMemoriesResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListMemoriesResponse, error) {
				return c.ListMemories(t.Context(), "a1", sdk.ListMemoriesOptions{})
			})
		},
		reflect.TypeFor[wire.ListPendingMemoriesResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListPendingMemoriesResponse, error) {
				return c.ListPendingMemories(t.Context(), sdk.ListPendingMemoriesOptions{})
			})
		},
		reflect.TypeFor[wire.MemoryActionResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.MemoryActionResponse, error) { return c.ApproveMemory(t.Context(), "m1") })
			agree(t, func(c *sdk.Client) (*wire.MemoryActionResponse, error) { return c.RejectMemory(t.Context(), "m1") })
		},
		reflect.TypeFor[wire.MemoryDoneResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.MemoryDoneResponse, error) {
				return c.DeleteUserMemories(t.Context(), "a1", "u1")
			})
		},
		reflect.TypeFor[wire.StopReceipt](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.StopReceipt, error) { return c.Stop(t.Context(), "s1", "") })
		},
		reflect.TypeFor[wire.UploadDocumentResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.UploadDocumentResponse, error) {
				return c.UploadDocument(t.Context(), sdk.File{Content: strings.NewReader("x")}, sdk.UploadDocumentOptions{})
			})
		},
		reflect.TypeFor[wire.ListDocumentsResponse](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.ListDocumentsResponse, error) {
				return c.ListDocuments(t.Context(), sdk.ListDocumentsOptions{})
			})
		},
		reflect.TypeFor[wire.Document](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.Document, error) {
				return c.GetDocument(t.Context(), "d1", sdk.GetDocumentOptions{})
			})
		},
		reflect.TypeFor[wire.MemoryStats](): func(t *testing.T) {
			agree(t, func(c *sdk.Client) (*wire.MemoryStats, error) { return c.GetMemoryStats(t.Context(), "a1") })
		},
	}
}

func TestAnswersAgreeWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for kind, check := range join(answers(), toolAnswers(), reviewAnswers()) {
		t.Run(kind.Name(), func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// events compare the SDK's reading of each event's data with that of encoding/json.
func events() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.Start](): func(t *testing.T) {
			want := filled[wire.Start]()
			require.Equal(t, &want, firstEvent(t, wire.EventStart, want).Start)
		},
		reflect.TypeFor[wire.Text](): func(t *testing.T) {
			want := filled[wire.Text]()
			require.Equal(t, want, wire.Text{Text: firstEvent(t, wire.EventChunk, want).Text})
			require.Equal(t, want, wire.Text{Text: firstEvent(t, wire.EventDocumentChunk, want).Text})
		},
		reflect.TypeFor[wire.ChatName](): func(t *testing.T) {
			want := filled[wire.ChatName]()
			require.Equal(t, want, wire.ChatName{Name: firstEvent(t, wire.EventChatName, want).Text})
		},
		reflect.TypeFor[wire.ToolCall](): func(t *testing.T) {
			want := filled[wire.ToolCall]()
			got := firstEvent(t, wire.EventToolCall, want).ToolCall
			takeRaw(t, reflect.ValueOf(got).Elem())
			require.Equal(t, want, *got)
		},
		reflect.TypeFor[wire.Complete]():  completeAgrees,
		reflect.TypeFor[wire.ErrorBody](): errorAgrees,
	}
}

func firstEvent(t *testing.T, name string, data any) sdk.Event {
	t.Helper()
	client, _ := openPage(t, streamReply(stream(written{event: name, data: data})))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.Len(t, got.events, 1)
	require.Equal(t, name, got.events[0].Type)
	return got.events[0]
}

func TestEventsAgreeWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for kind, check := range events() {
		t.Run(kind.Name(), func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

// completeAgrees compares the message. The other fields are its proof: if one of them is different, the
// client reads the stored message.
func completeAgrees(t *testing.T) {
	want := filled[wire.Complete]()
	content := want.Message.Content
	want.Chunks, want.Bytes, want.CRC32 = 1, len(content), fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(content)))
	events := func(data wire.Complete) string {
		return stream(chunk(content), written{event: "complete", data: data}, end())
	}

	client, script := openPage(t, streamReply(events(want)))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.Len(t, script.requests, 1)
	takeRaw(t, reflect.ValueOf(got.complete).Elem())
	require.Equal(t, want.Message, *got.complete)

	kind := reflect.TypeFor[wire.Complete]()
	for i := range kind.NumField() {
		if kind.Field(i).Name == "Message" {
			continue
		}
		changed := want
		(&filler{count: 1000}).fill(reflect.ValueOf(&changed).Elem().Field(i))
		client, script := openPage(t, streamReply(events(changed)), missing("message_id"))
		requireCut(t, outcomeOf(t, client, sdk.SendMessageOptions{}).err)
		require.Len(t, script.requests, 2, kind.Field(i).Name)
	}
}

// errorAgrees checks that all fields of an error event are read.
func errorAgrees(t *testing.T) {
	want := filled[wire.ErrorBody]()
	client, _ := openPage(t, streamReply(stream(written{event: wire.EventError, data: want})))
	failure := apiError(t, outcomeOf(t, client, sdk.SendMessageOptions{}).err)
	require.Equal(t, want, wire.ErrorBody{
		StatusCode: failure.Status, Detail: failure.Detail,
		Error: wire.ErrorInfo{Code: failure.Code, Message: failure.Message, InvalidFields: failure.InvalidFields, Reason: failure.Reason},
	})
}

// requests compare each request that the SDK writes with that of encoding/json.
func requests() map[reflect.Type]func(*testing.T) {
	return map[reflect.Type]func(*testing.T){
		reflect.TypeFor[wire.CreateChatRequest](): func(t *testing.T) {
			want := wire.CreateChatRequest{ProjectID: "p1", Name: "N", DocumentKeys: []string{"d"}, Metadata: wire.JSON(`{"a":"b"}`)}
			agreeRequest(t, true, want, func(c *sdk.Client) {
				_, _ = c.CreateChat(t.Context(), sdk.CreateChatOptions{Name: "N", DocumentKeys: []string{"d"}, Metadata: wire.JSON(`{"a":"b"}`)})
			})
			agreeRequest(t, false, wire.CreateChatRequest{ProjectID: "p1"}, func(c *sdk.Client) {
				_, _ = c.CreateChat(t.Context(), sdk.CreateChatOptions{})
			})
			agreeRequest(t, false, wire.CreateChatRequest{ProjectID: "p1", DocumentKeys: []string{}, Metadata: wire.JSON(`{}`)}, func(c *sdk.Client) {
				_, _ = c.CreateChat(t.Context(), sdk.CreateChatOptions{DocumentKeys: []string{}, Metadata: wire.JSON(`{}`)})
			})
		},
		reflect.TypeFor[wire.DeleteChatRequest](): func(t *testing.T) {
			agreeRequest(t, true, wire.DeleteChatRequest{ProjectID: "p1", ChatID: "c1"}, func(c *sdk.Client) {
				_ = c.DeleteChat(t.Context(), "c1")
			})
		},
		reflect.TypeFor[wire.SelectBranchRequest](): func(t *testing.T) {
			agreeRequest(t, true, wire.SelectBranchRequest{ProjectID: "p1", ChatID: "c1", MessageID: "m1"}, func(c *sdk.Client) {
				_, _ = c.SelectBranch(t.Context(), "c1", "m1")
			})
		},
		reflect.TypeFor[wire.UpdateChatNameRequest](): func(t *testing.T) {
			agreeRequest(t, true, wire.UpdateChatNameRequest{ProjectID: "p1", ChatID: "c1", Title: "T"}, func(c *sdk.Client) {
				_ = c.UpdateChatName(t.Context(), "c1", "T")
			})
		},
		reflect.TypeFor[wire.SendFeedbackRequest](): func(t *testing.T) {
			for _, positive := range []bool{true, false} {
				want := wire.SendFeedbackRequest{ProjectID: "p1", ChatID: "c1", MessageID: "m1", UserFeedback: &positive}
				agreeRequest(t, true, want, func(c *sdk.Client) { _ = c.SendFeedback(t.Context(), "m1", "c1", positive) })
			}
		},
		reflect.TypeFor[wire.MemorySettings](): func(t *testing.T) {
			on, off, most := true, false, 7
			for _, want := range []wire.MemorySettings{
				{MemoryEnabled: &on, MaxMemories: &most, AutoApprove: &off, MemoryTypes: []string{wire.MemoryFact}},
				{}, {MemoryEnabled: &off}, {MaxMemories: &most}, {AutoApprove: &on}, {MemoryTypes: []string{}},
			} {
				full := want.MemoryEnabled != nil && want.MaxMemories != nil
				agreeRequest(t, full, want, func(c *sdk.Client) { _, _ = c.UpdateMemorySettings(t.Context(), "a1", want) })
			}
		},
		reflect.TypeFor[wire.RegenerateRequest](): func(t *testing.T) {
			want := wire.RegenerateRequest{ProjectID: "p1", ChatID: "c1", MessageID: "m1", ToolCalls: true, Reasoning: true}
			regenerate := func(c *sdk.Client) {
				_ = drain(c.Regenerate(t.Context(), "c1", "m1", sdk.RegenerateOptions{Reasoning: true}))
			}
			agreeRequest(t, false, want, regenerate)
			tool := wire.PageTool{Description: "D", Parameters: wire.JSON(`{"type":"object"}`)}
			want.PageTools = marshal(t, map[string]wire.PageTool{"look": tool})
			agreeRequestOf(t, configOf(sdk.Tool{Name: "look", Description: "D", Parameters: tool.Parameters, Run: runs("")}), true, want, regenerate)
		},
		reflect.TypeFor[wire.ListDocumentsRequest](): func(t *testing.T) {
			want := wire.ListDocumentsRequest{Page: ptr(2), ItemsPerPage: ptr(10), NameSearch: "a\"b", Cursor: "c", Limit: ptr(7)}
			agreeRequest(t, true, want, func(c *sdk.Client) {
				_, _ = c.ListDocuments(t.Context(), sdk.ListDocumentsOptions{Page: 2, ItemsPerPage: 10, NameSearch: "a\"b", Cursor: "c", Limit: 7})
			})
		},
		reflect.TypeFor[wire.DeleteDocumentsRequest](): func(t *testing.T) {
			want := wire.DeleteDocumentsRequest{ProjectID: "p1", Resources: []wire.Resource{{Name: "d1", Key: "d1"}}}
			agreeRequest(t, true, want, func(c *sdk.Client) { _ = c.DeleteDocument(t.Context(), "d1") })
		},
	}
}

// agreeRequest compares the body that a call sends with want. full says that want has every field.
func agreeRequest[T any](t *testing.T, full bool, want T, call func(*sdk.Client)) {
	t.Helper()
	agreeRequestOf(t, pageConfig(), full, want, call)
}

// agreeRequestOf is agreeRequest with a configuration.
func agreeRequestOf[T any](t *testing.T, config sdk.Config, full bool, want T, call func(*sdk.Client)) {
	t.Helper()
	client, script := open(t, config, jsonReply(`{"chat_id":"c1"}`))
	call(client)
	sent := script.requests[0].Body
	decoder := json.NewDecoder(bytes.NewReader(sent))
	decoder.DisallowUnknownFields()
	var got T
	require.NoError(t, decoder.Decode(&got))
	require.Equal(t, want, got)
	requireSameJSON(t, marshal(t, want), sent)
	if !full {
		return
	}
	for _, field := range onTheWire(reflect.ValueOf(want)) {
		require.False(t, field.IsZero(), "a field is not tested")
	}
}

func TestRequestsAgreeWithEncodingJSON(t *testing.T) {
	t.Parallel()
	for kind, check := range join(requests(), toolRequests(), reviewRequests()) {
		t.Run(kind.Name(), func(t *testing.T) {
			t.Parallel()
			check(t)
		})
	}
}

func TestEveryWireStructAgreesWithEncodingJSON(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{
		"DoneResponse":         true, // the response to calls that return no result
		"AccessTokenRequest":   true, // the SDK creates tokens itself, without a request
		"SelectBranchResponse": true, // the SDK returns only the id in it
		"AccessTokenResponse":  true, // as AccessTokenRequest
	}
	for _, group := range []map[reflect.Type]func(*testing.T){answers(), toolAnswers(), reviewAnswers(), events(), requests(), toolRequests(), reviewRequests()} {
		for kind := range group {
			cover(kind, covered)
		}
	}
	for _, name := range structsOf(t, "wire") {
		require.True(t, covered[name], "wire.%s has no test here", name)
	}
}

// cover adds a struct and the structs inside it.
func cover(kind reflect.Type, covered map[string]bool) {
	switch kind.Kind() {
	case reflect.Slice, reflect.Pointer, reflect.Map:
		cover(kind.Elem(), covered)
	case reflect.Struct:
		covered[kind.Name()] = true
		for field := range kind.Fields() {
			cover(field.Type, covered)
		}
	}
}

// structsOf are the exported structs of the Go files of a folder.
func structsOf(t *testing.T, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok && spec.Name.IsExported() {
				if _, ok := spec.Type.(*ast.StructType); ok {
					names = append(names, spec.Name.Name)
				}
			}
			return true
		})
	}
	require.NotEmpty(t, names)
	return names
}

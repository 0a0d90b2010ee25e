package sdk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// shapedAnswers are those of testdata/answers.json, by operation.
func shapedAnswers(t *testing.T) map[string]json.RawMessage {
	text, err := os.ReadFile("testdata/answers.json")
	require.NoError(t, err)
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

// structs has the struct of package wire for each of them.
var structs = map[string]any{
	"createChat": &wire.Chat{}, "listChats": &wire.ListChatsResponse{}, "getChatHistory": &wire.ChatHistoryResponse{}, "getMessage": &wire.Message{},
	"selectBranch": &wire.SelectBranchResponse{}, "sendMessage": &wire.SendMessageResponse{}, "stop": &wire.StopReceipt{},
	"listAgents": &wire.ListAgentsResponse{}, "uploadDocument": &wire.UploadDocumentResponse{}, "listDocuments": &wire.ListDocumentsResponse{},
	"getDocument": &wire.Document{}, "getMemorySettings": &wire.MemorySettings{}, "updateMemorySettings": &wire.MemorySettingsResponse{},
	"listMemories": &wire.ListMemoriesResponse{}, "memoriesOfSource": &wire.ListMemoriesResponse{}, "listUserMemories": &wire.ListUserMemoriesResponse{},
	"listPendingMemories": &wire.ListPendingMemoriesResponse{}, "approveMemory": &wire.MemoryActionResponse{}, "rejectMemory": &wire.MemoryActionResponse{},
	"getMemoryStats": &wire.MemoryStats{}, "deleteUserMemories": &wire.MemoryDoneResponse{}, "createMemory": &wire.Memory{}, "updateMemory": &wire.Memory{},
	"decideMemories": &wire.DecideMemoriesResponse{}, "answersOfMemory": &wire.AnswersOfMemoryResponse{}, "listErasures": &wire.ListErasuresResponse{},
	"listToolCalls": &wire.ListToolCallsResponse{}, "getToolCall": &wire.ToolCall{}, "approveToolCall": &wire.ToolCallResponse{},
	"denyToolCall": &wire.ToolCallResponse{},
}

// The answers of the vectors have every field of their structs, and no other.
func TestTheAnswersHaveAllFields(t *testing.T) {
	t.Parallel()
	all := shapedAnswers(t)
	require.Len(t, all, len(structs))
	for name, text := range all {
		require.NotNil(t, answering()[name], name)
		t.Run(name, func(t *testing.T) {
			decoder := json.NewDecoder(bytes.NewReader(text))
			decoder.DisallowUnknownFields()
			value := reflect.New(reflect.TypeOf(structs[name]).Elem())
			require.NoError(t, decoder.Decode(value.Interface()))
			requireFull(t, name, value.Elem())
		})
	}
	for _, one := range sdk.Calls() {
		require.NotNil(t, answering()[one.Operation], "%s has no case in answering, nor in calls of failures_test.go", one.Operation)
	}
	for name := range answering() {
		silent := slices.Contains([]string{"deleteChat", "updateChatName", "sendFeedback", "deleteDocument", "deleteMemory"}, name)
		stream := slices.Contains([]string{"sendMessageStream", "editMessage", "regenerateMessage", "resumeStream"}, name)
		require.Equal(t, !silent && !stream, all[name] != nil, name)
	}
}

func requireFull(t *testing.T, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		require.False(t, v.IsNil(), path)
		requireFull(t, path, v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.Tag.Get("json") != "-" {
				requireFull(t, path+"."+field.Name, v.Field(i))
			}
		}
	case reflect.Map:
		require.NotEmpty(t, v.MapKeys(), path)
		for _, key := range v.MapKeys() {
			requireFull(t, path, v.MapIndex(key))
		}
	default:
		require.False(t, v.IsZero(), path)
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct {
			requireFull(t, path+"[]", v.Index(0))
		}
	}
}

// answering has the calls that get an answer, by operation.
func answering() map[string]func(context.Context, *sdk.Client) error {
	all := calls()
	all["listToolCalls"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.ListToolCalls(ctx, sdk.ListToolCallsOptions{})
		return err
	}
	all["selectBranch"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.SelectBranch(ctx, "c1", "m1")
		return err
	}
	all["getMessage"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.GetMessage(ctx, "c1", "m1")
		return err
	}
	all["getToolCall"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.GetToolCall(ctx, "t1")
		return err
	}
	all["approveToolCall"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.ApproveToolCall(ctx, "t1", sdk.ApproveToolCallOptions{})
		return err
	}
	all["denyToolCall"] = func(ctx context.Context, c *sdk.Client) error {
		_, err := c.DenyToolCall(ctx, "t1", "", sdk.DenyToolCallOptions{})
		return err
	}
	return all
}

// visit calls change for each value in a tree of JSON; put replaces the value.
func visit(path string, value any, put func(any), change func(path string, old any, put func(any))) {
	change(path, value, put)
	switch value := value.(type) {
	case map[string]any:
		for name, item := range value {
			visit(strings.TrimPrefix(path+"."+name, "."), item, func(v any) { value[name] = v }, change)
		}
	case []any:
		visit(path+"[]", value[0], func(v any) { value[0] = v }, change)
	}
}

// Each answer is refused if a value at any level is of another type. A list of memories, and a message, have two forms.
func TestAnAnswerOfAnotherShapeIsAnAPIError(t *testing.T) {
	t.Parallel()
	other := []any{true, 1.0, "x", []any{}, map[string]any{}}
	texts := []string{"message", "messages[]"}
	for name, text := range shapedAnswers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			call := answering()[name]
			answered := func(tree any) error {
				body, err := json.Marshal(tree)
				require.NoError(t, err)
				client, _ := openPage(t, jsonReply(string(body)))
				return call(t.Context(), client)
			}
			var tree any
			require.NoError(t, json.Unmarshal(text, &tree))
			require.NoError(t, answered(tree))
			visit("", tree, func(any) {}, func(path string, old any, put func(any)) {
				defer put(old)
				for _, value := range other {
					if path == "" || reflect.TypeOf(value) == reflect.TypeOf(old) || value == "x" && slices.Contains(texts, path) {
						continue
					}
					put(value)
					failure := apiError(t, answered(tree))
					require.Equal(t, 200, failure.Status)
					require.Contains(t, failure.Message, name+": the answer cannot be read: "+strings.ReplaceAll(path, "u1", "*")+" is a", "%v", value)
				}
			})
		})
	}
}

// What an older service leaves out is absent, and what a newer one adds is not looked at.
func TestAnAnswerMayLackOptionalFieldsAndHaveOthers(t *testing.T) {
	t.Parallel()
	needed := []string{
		"chat_id", "messages", "content", "message", "agents", "id", "docs", "content_key", "document_key", "memory_enabled", "settings",
		"memories_by_user", "memories", "approvals", "memory", "total", "success", "results", "memory_id", "answers", "message_id", "erasures", "kind",
		"tool_calls", "call", "chats",
	}
	for name, text := range shapedAnswers(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var tree any
			require.NoError(t, json.Unmarshal(text, &tree))
			try := func() error {
				body, err := json.Marshal(tree)
				require.NoError(t, err)
				client, _ := openPage(t, jsonReply(string(body)))
				return answering()[name](t.Context(), client)
			}
			visit("", tree, func(any) {}, func(path string, old any, put func(any)) {
				member := path[strings.LastIndexByte(path, '.')+1:]
				if object, ok := old.(map[string]any); ok && path != "memories_by_user" { // its names are users
					object["later"] = []any{nil}
					defer delete(object, "later")
					require.NoError(t, try())
				}
				if path == "" || strings.HasSuffix(path, "[]") || strings.HasSuffix(path, "u1") {
					return
				}
				put(nil)
				defer put(old)
				if err := try(); err != nil {
					require.Contains(t, apiError(t, err).Message, " has no "+member)
					require.Contains(t, needed, member, path)
				}
			})
		})
	}
}

package sdk_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const answerText = `{"message":{"id":"m2","role":"assistant","content":"hello"},"chat_id":"c1","message_id":"m2","chat_name":"Greeting"}`

func ptr[T any](value T) *T { return &value }

// optionCases set one option each, with the form fields that it sends.
func optionCases(image sdk.File) []struct {
	option string
	set    sdk.SendMessageOptions
	want   []sdk.FormField
} {
	texts := func(name, text string) []sdk.FormField { return []sdk.FormField{{Name: name, Text: text}} }
	return []struct {
		option string
		set    sdk.SendMessageOptions
		want   []sdk.FormField
	}{
		{"ChatID", sdk.SendMessageOptions{ChatID: "c/1"}, texts("chat_id", "c/1")},
		{"AgentType", sdk.SendMessageOptions{AgentType: wire.AgentDocument}, texts("agent_type", "document_agent")},
		{"AgentID", sdk.SendMessageOptions{AgentID: "a1"}, texts("agent_id", "a1")},
		{"DocumentKeys", sdk.SendMessageOptions{DocumentKeys: []string{"d\"1", "d2"}}, texts("document_keys", `["d\"1","d2"]`)},
		{"DocumentKeys", sdk.SendMessageOptions{DocumentKeys: []string{}}, texts("document_keys", `[]`)},
		{"Images", sdk.SendMessageOptions{Images: []sdk.File{image, image}}, []sdk.FormField{{Name: "images", File: &image}, {Name: "images", File: &image}}},
		{"Images", sdk.SendMessageOptions{Images: []sdk.File{}}, nil},
		{"Metadata", sdk.SendMessageOptions{Metadata: wire.JSON(`{"k":"v"}`)}, texts("request_metadata", `{"k":"v"}`)},
		{"Metadata", sdk.SendMessageOptions{Metadata: wire.JSON(`{}`)}, texts("request_metadata", `{}`)},
		{"ModelName", sdk.SendMessageOptions{ModelName: "gpt-4o"}, texts("model_name", "gpt-4o")},
		{"UseKnowledgebase", sdk.SendMessageOptions{UseKnowledgebase: ptr(true)}, texts("use_knowledgebase", "true")},
		{"UseKnowledgebase", sdk.SendMessageOptions{UseKnowledgebase: ptr(false)}, texts("use_knowledgebase", "false")},
		{"IsTest", sdk.SendMessageOptions{IsTest: true}, texts("is_test", "true")},
		{"GoogleSearch", sdk.SendMessageOptions{GoogleSearch: true}, texts("google_search", "true")},
		{"FormatInstructions", sdk.SendMessageOptions{FormatInstructions: "short\nplain"}, texts("format_instructions", "short\nplain")},
		{"IgnoreChatHistory", sdk.SendMessageOptions{IgnoreChatHistory: true}, texts("ignore_chat_history", "true")},
		{"ExampleJSON", sdk.SendMessageOptions{ExampleJSON: `{"a":1}`}, texts("example_json", `{"a":1}`)},
		{"SkipStream", sdk.SendMessageOptions{SkipStream: true}, texts("skip_stream", "true")},
		{"ParentID", sdk.SendMessageOptions{ParentID: "m/1"}, texts("parent_id", "m/1")},
		{"Reasoning", sdk.SendMessageOptions{Reasoning: true}, texts("reasoning", "true")},
		{"Edits", sdk.SendMessageOptions{Edits: "m1"}, texts("edits", "m1")},
	}
}

func TestEachOptionSendsItsField(t *testing.T) {
	t.Parallel()
	image := sdk.File{Name: "a.png", ContentType: "image/png", Content: strings.NewReader("png")}
	covered := map[string]bool{}
	for _, test := range optionCases(image) {
		covered[test.option] = true
		t.Run(test.option, func(t *testing.T) {
			t.Parallel()
			client, script := openPage(t, jsonReply(answerText))
			for _, err := range client.Stream(t.Context(), "hi", test.set) {
				require.NoError(t, err)
			}
			want := append([]sdk.FormField{{Name: "message", Text: "hi"}, {Name: "project_id", Text: "p1"}, {Name: "tool_calls", Text: "true"}}, test.want...)
			require.Equal(t, want, script.requests[0].Form)
		})
	}
	covered["IdempotencyKey"], covered["DetachOnAbort"] = true, true // are not fields of the form
	for field := range reflect.TypeFor[sdk.SendMessageOptions]().Fields() {
		require.True(t, covered[field.Name], "%s has no case", field.Name)
	}
	require.Len(t, covered, 17+2)
}

func TestSendMessageRequestsAWholeAnswer(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, jsonReply(answerText))
	response, err := client.SendMessage(t.Context(), " hi\r\n", sdk.SendMessageOptions{})
	require.NoError(t, err)
	require.Equal(t, &sdk.SendMessageResponse{
		Message: sdk.Message{
			ID: "m2", Role: "assistant", Content: "hello", Raw: wire.JSON(`{"id":"m2","role":"assistant","content":"hello"}`),
		},
		ChatID: "c1", MessageID: "m2", ChatName: "Greeting", Raw: wire.JSON(answerText),
	}, response)
	require.Equal(t, []*sdk.Request{{
		Method: "POST", URL: "https://api.example.com/v3/chat/message",
		Header: map[string]string{"accept": "application/json", "authorization": "Bearer token-1"},
		Form: []sdk.FormField{
			{Name: "message", Text: " hi\r\n"}, {Name: "project_id", Text: "p1"}, {Name: "tool_calls", Text: "true"}, {Name: "skip_stream", Text: "true"},
		},
	}}, script.requests)
}

func TestStreamRequestsAnEventStream(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, jsonReply(answerText))
	stream := client.Stream(t.Context(), "hi", sdk.SendMessageOptions{})
	require.Empty(t, script.requests, "before the first event is asked for")
	for _, err := range stream {
		require.NoError(t, err)
	}
	require.Equal(t, []*sdk.Request{{
		Method: "POST", URL: "https://api.example.com/v3/chat/message",
		Header: map[string]string{"accept": "text/event-stream", "authorization": "Bearer token-1"},
		Form:   []sdk.FormField{{Name: "message", Text: "hi"}, {Name: "project_id", Text: "p1"}, {Name: "tool_calls", Text: "true"}},
	}}, script.requests)
}

func TestSendMessageDoesNotChangeItsOptions(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, jsonReply(answerText))
	options := sdk.SendMessageOptions{ChatID: "c1"}
	_, err := client.SendMessage(t.Context(), "hi", options)
	require.NoError(t, err)
	require.Equal(t, sdk.SendMessageOptions{ChatID: "c1"}, options)
}

func TestMetadataIsSentUnchanged(t *testing.T) {
	t.Parallel()
	const metadata = " {\"n\" : 12345678901234567890, \"u\":\"\u2028\"}"
	client, script := openPage(t, jsonReply(answerText))
	_, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{Metadata: wire.JSON(metadata)})
	require.NoError(t, err)
	require.Contains(t, script.requests[0].Form, sdk.FormField{Name: wire.FieldMetadata, Text: metadata})
}

func TestMetadataThatIsNotAnObjectIsRefused(t *testing.T) {
	t.Parallel()
	for _, metadata := range []string{
		``, ` `, `null`, `1`, `"a"`, `[]`, `{"a":}`, `{}}`, `{"a":1}x`, "{\"a\":\"\n\"}", strings.Repeat("[", 10_000_000), strings.Repeat(`{"a":`, 600) + "1" + strings.Repeat("}", 600),
	} {
		client, script := openPage(t)
		_, err := client.SendMessage(t.Context(), "hi", sdk.SendMessageOptions{Metadata: wire.JSON(metadata)})
		require.Equal(t, "metadata", argumentError(t, err).Field)
		_, err = client.CreateChat(t.Context(), sdk.CreateChatOptions{Metadata: wire.JSON(metadata)})
		require.Equal(t, "metadata", argumentError(t, err).Field)
		require.Empty(t, script.requests)
	}
}

func TestAnImageWithoutContentIsRefused(t *testing.T) {
	t.Parallel()
	client, script := openPage(t)
	options := sdk.SendMessageOptions{Images: []sdk.File{{Content: strings.NewReader("")}, {Name: "b.png"}}}
	_, err := client.SendMessage(context.Background(), "hi", options)
	require.Equal(t, "images", argumentError(t, err).Field)
	require.EqualError(t, err, "sendMessage: images [1] has no Content")
	require.Empty(t, script.requests)
}

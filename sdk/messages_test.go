package sdk_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

type messageVector struct {
	Name    string          `json:"name"`
	BaseURL string          `json:"baseUrl"`
	Message string          `json:"message"`
	Bytes   []byte          `json:"bytes"`
	Want    json.RawMessage `json:"want"`
}

func (v messageVector) text() string {
	if v.Bytes != nil {
		return string(v.Bytes)
	}
	return v.Message
}

func (v messageVector) open(t *testing.T, reply reply) *sdk.Client {
	config := pageConfig()
	if v.BaseURL != "" {
		config.BaseURL = v.BaseURL
	}
	client, _ := open(t, config, reply)
	return client
}

// check compares a message with the vector: its fields with those that encoding/json reads, and its Raw
// with the vector's text, where numbers must be written the same.
func (v messageVector) check(t *testing.T, got sdk.Message) {
	t.Helper()
	var want sdk.Message
	require.NoError(t, json.Unmarshal(v.Want, &want))
	requireSameJSON(t, v.Want, got.Raw)
	require.True(t, utf8.Valid(got.Raw))
	requireSameMessage(t, want, got)
}

// requireSameMessage compares all fields except Raw; an empty list equals none.
func requireSameMessage(t *testing.T, want, got sdk.Message) {
	t.Helper()
	var emptied [2]sdk.Message
	for i, m := range []sdk.Message{want, got} {
		m.Raw = nil
		if len(m.Metadata) > 0 && m.Metadata[0] == '{' {
			m.Metadata = compact(t, m.Metadata)
		}
		m.Sources = append([]sdk.Source(nil), m.Sources...)
		m.ImageURLs = append([]string(nil), m.ImageURLs...)
		m.MemoryIDs = append([]string(nil), m.MemoryIDs...)
		emptied[i] = m
	}
	require.Equal(t, emptied[0], emptied[1])
}

func compact(t *testing.T, text wire.JSON) wire.JSON {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Compact(&b, text))
	return b.Bytes()
}

// requireSameJSON compares JSON texts; numbers must be written the same.
func requireSameJSON(t *testing.T, want, got []byte) {
	t.Helper()
	require.Equal(t, exactly(t, want), exactly(t, got))
}

func exactly(t *testing.T, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), "%s", text)
	return value
}

func TestMessageVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors[messageVector](t, "messages.json") {
		t.Run(v.Name+", sent", func(t *testing.T) {
			t.Parallel()
			body := `{"chat_id":"c1","message_id":"m2","later":1.0,"message":` + v.text() + `}`
			response, err := v.open(t, jsonReply(body)).SendMessage(t.Context(), "hi", sdk.SendMessageOptions{})
			require.NoError(t, err)
			v.check(t, response.Message)
			requireSameJSON(t, []byte(`{"chat_id":"c1","message_id":"m2","later":1.0,"message":`+string(v.Want)+`}`), response.Raw)
		})
		t.Run(v.Name+", in a history", func(t *testing.T) {
			t.Parallel()
			body := `{"chat_id":"c1","later":1.0,"messages":[{"id":"m1","content":"hi"},` + v.text() + `]}`
			history, err := v.open(t, jsonReply(body)).GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
			require.NoError(t, err)
			require.Len(t, history.Messages, 2)
			require.Equal(t, "hi", history.Messages[0].Content)
			v.check(t, history.Messages[1])
			requireSameJSON(t, []byte(`{"chat_id":"c1","later":1.0,"messages":[{"id":"m1","content":"hi"},`+string(v.Want)+`]}`), history.Raw)
		})
		t.Run(v.Name+", streamed", func(t *testing.T) {
			t.Parallel()
			stream := "event: complete\ndata: {\"message\":" + v.text() + "}\n\nevent: end\ndata: {}\n\n"
			got := outcomeOf(t, v.open(t, streamReply(stream)), sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			v.check(t, *got.complete)
		})
	}
}

func TestAResponseThatNeedsNoChangeIsNotChanged(t *testing.T) {
	t.Parallel()
	body := " {\n\"messages\" : [ {\"content\":\"\\u0061\\/\"} ] }\n"
	client, _ := openPage(t, jsonReply(body))
	history, err := client.GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(body), string(history.Raw))
}

func TestTheLastOfSeveralMembersCounts(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, jsonReply(`{"name":"a","name":"b","messages":[{"content":"a"}],"messages":[{"content":"b","response":"c","content":"d"}]}`))
	history, err := client.GetChatHistory(t.Context(), "c1", sdk.GetChatHistoryOptions{})
	require.NoError(t, err)
	require.Equal(t, "b", history.Name)
	require.Len(t, history.Messages, 1)
	require.Equal(t, "d", history.Messages[0].Content, "as in JSON.parse")
}

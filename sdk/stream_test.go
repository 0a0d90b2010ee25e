package sdk_test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// written is an event as a server writes it.
type written struct {
	id    int // 0 for none
	event string
	data  any // a string is the data itself
}

func (w written) String() string {
	var b strings.Builder
	if w.id > 0 {
		fmt.Fprintf(&b, "id: %d\n", w.id)
	}
	data, ok := w.data.(string)
	if !ok {
		text, err := json.Marshal(w.data)
		if err != nil {
			panic(err)
		}
		data = string(text)
	}
	fmt.Fprintf(&b, "event: %s\ndata: %s\n\n", w.event, data)
	return b.String()
}

// stream is the text of an event stream.
func stream(events ...written) string {
	var b strings.Builder
	for _, event := range events {
		b.WriteString(event.String())
	}
	return b.String()
}

// numbered sets the ids of the events, from 1 on.
func numbered(events ...written) []written {
	for i := range events {
		events[i].id = i + 1
	}
	return events
}

func chunk(text string) written { return written{event: wire.EventChunk, data: wire.Text{Text: text}} }

func start() written {
	return written{event: wire.EventStart, data: wire.Start{StreamID: "s1", ChatID: "c1", MessageID: "m2", UserMessageID: "m1"}}
}

// complete is the complete event of an answer with these chunks, with its proof.
func complete(chunks ...string) written {
	content := strings.Join(chunks, "")
	return written{event: wire.EventComplete, data: wire.Complete{
		Message: wire.Message{ID: "m2", ChatID: "c1", Role: wire.RoleAssistant, Content: content, FinishReason: wire.FinishStop},
		Chunks:  len(chunks), Bytes: len(content), CRC32: fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(content))),
	}}
}

func end() written { return written{event: wire.EventEnd, data: "{}"} }

// answerOf is a whole stream.
func answerOf(chunks ...string) []written {
	events := []written{start()}
	for _, text := range chunks {
		events = append(events, chunk(text))
	}
	return numbered(append(events, complete(chunks...), end())...)
}

// outcome is what a reader got from a stream.
type outcome struct {
	events   []sdk.Event
	text     string
	complete *sdk.Message
	err      error
}

func outcomeOf(t testing.TB, client *sdk.Client, options sdk.SendMessageOptions) (o outcome) {
	t.Helper()
	var said strings.Builder
	defer func() { o.text = said.String() }()
	for event, err := range client.Stream(t.Context(), "hi", options) {
		require.NoError(t, o.err, "an error is the last")
		if err != nil {
			require.Equal(t, sdk.Event{}, event)
			o.err = err
			continue
		}
		o.events = append(o.events, event)
		if event.Type == wire.EventChunk {
			said.WriteString(event.Text)
		}
		if event.Type == wire.EventComplete {
			require.Nil(t, o.complete)
			o.complete = event.Message
		}
	}
	return o
}

// types are the names of the events.
func (o outcome) types() string {
	var names []string
	for _, event := range o.events {
		names = append(names, event.Type)
	}
	return strings.Join(names, " ")
}

// everyEvent is a stream with one event of each kind.
func everyEvent() []written {
	return numbered(
		start(),
		written{event: wire.EventDocumentChunk, data: `{"text":"looking"}`},
		chunk("He"),
		written{event: wire.EventMessageObject, data: `{"image_urls":["/1","https://x/2"],"n":12345678901234567890}`},
		chunk("llo"),
		written{event: wire.EventChatName, data: `{"name":"Greeting"}`},
		complete("He", "llo"),
		end(),
	)
}

func TestStreamYieldsEveryEvent(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(everyEvent()...)))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.NotNil(t, got.complete)
	message := sdk.Message{ID: "m2", ChatID: "c1", Role: "assistant", Content: "Hello", FinishReason: "stop", Raw: got.complete.Raw}
	require.Equal(t, []sdk.Event{
		{Type: "start", ID: 1, Object: got.events[0].Object, Start: &wire.Start{StreamID: "s1", ChatID: "c1", MessageID: "m2", UserMessageID: "m1"}},
		{Type: "document_chunk", ID: 2, Text: "looking"},
		{Type: "chunk", ID: 3, Text: "He"},
		{Type: "message_object", ID: 4, Object: wire.JSON(`{"image_urls":["https://api.example.com/1","https://x/2"],"n":12345678901234567890}`)},
		{Type: "chunk", ID: 5, Text: "llo"},
		{Type: "chat_name", ID: 6, Text: "Greeting"},
		{Type: "complete", ID: 7, Object: message.Raw, Message: &message},
		{Type: "end", ID: 8},
	}, got.events)
	require.JSONEq(t, `{"stream_id":"s1","chat_id":"c1","message_id":"m2","user_message_id":"m1"}`, string(got.events[0].Object))
	require.JSONEq(t, `{"id":"m2","chat_id":"c1","role":"assistant","content":"Hello","created_at":0,"finish_reason":"stop"}`, string(message.Raw))
}

func TestStreamWithoutIDs(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, streamReply(stream(start(), chunk("a"), chunk("a"), complete("a", "a"), end())))
	got := outcomeOf(t, client, sdk.SendMessageOptions{})
	require.NoError(t, got.err)
	require.Equal(t, "start chunk chunk complete end", got.types())
	for _, event := range got.events {
		require.Zero(t, event.ID)
	}
}

func TestWhatStreamIgnores(t *testing.T) {
	t.Parallel()
	whole := answerOf("a", "b")
	at := func(i int, extra ...written) []written {
		return append(append(append([]written(nil), whole[:i]...), extra...), whole[i:]...)
	}
	tests := []struct {
		name   string
		stream string
	}{
		{"unknown events", stream(numbered(at(2, written{event: "thinking", data: "no JSON"}, written{event: "Chunk", data: `{"text":"x"}`})...)...)},
		{"unknown events, without ids", stream(start(), chunk("a"), written{event: "thinking", data: "no JSON"}, chunk("b"), complete("a", "b"), end())},
		{"events without a name", stream(numbered(at(2, written{event: "", data: `{"text":"x"}`})...)...)},
		{"comments and retry", ": hello\n\nretry: 5\n\n" + strings.ReplaceAll(stream(whole...), "\n\n", "\n\n: beat\n\n")},
		{"events that were seen before", stream(at(3, whole[0], whole[1], whole[2])...)},
		{"a stream that is sent twice", stream(whole[:4]...) + stream(whole...)},
		{"what follows the completion", stream(whole[:4]...) + stream(
			written{id: 5, event: "chunk", data: `{"text":"x"}`}, written{id: 6, event: "complete", data: "{}"},
			written{id: 7, event: "error", data: "no JSON"}, written{id: 8, event: "end", data: "{}"},
		)},
		{"what follows the end", stream(whole...) + stream(written{id: 9, event: "chunk", data: `{"text":"x"}`}, written{id: 10, event: "error", data: "{}"})},
		{"unknown fields", strings.ReplaceAll(stream(whole...), `{"text"`, `{"later":{"a":[1]},"text"`)},
		{"line ends of other kinds", strings.ReplaceAll(stream(whole...), "\n", "\r\n")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, streamReply(test.stream))
			got := outcomeOf(t, client, sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, "start chunk chunk complete end", got.types())
			require.Equal(t, "ab", got.text)
			require.Equal(t, "ab", got.complete.Content)
		})
	}
}

package chat_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// transcript is a stream as a client has it at the end.
type transcript struct {
	events []chat.Event
	start  wire.Start
	// chunks are the texts of the chunk events.
	chunks []string
	// complete or failure ended it.
	complete *wire.Complete
	failure  *chat.Failure
}

// text is the answer.
func (tr transcript) text() string { return strings.Join(tr.chunks, "") }

// types are the names of the events, without the chunks.
func (tr transcript) types() string {
	var all []string
	for _, event := range tr.events {
		if event.Type != wire.EventChunk {
			all = append(all, event.Type)
		}
	}
	return strings.Join(all, " ")
}

// read reads a stream to its end and checks it against docs/protocol.md, Streams.
func read(t *testing.T, stream *chat.Stream) transcript {
	t.Helper()
	var events []chat.Event
	for batch, err := range stream.Events(t.Context()) {
		require.NoError(t, err)
		require.NotEmpty(t, batch)
		require.LessOrEqual(t, len(batch), 512, "what waits for a reader is bounded")
		events = append(events, batch...)
	}
	return check(t, events)
}

func check(t *testing.T, events []chat.Event) transcript {
	t.Helper()
	tr := transcript{events: events}
	require.GreaterOrEqual(t, len(events), 3)
	for i, event := range events {
		require.EqualValues(t, i+1, event.ID, "ids count from 1")
		require.True(t, json.Valid(event.Data), "data of event %d is JSON", event.ID)
		require.False(t, bytes.ContainsAny(event.Data, "\r\n"), "data of event %d is one line", event.ID)
		tr.add(t, event, events[i:])
	}
	require.True(t, (tr.complete == nil) != (tr.failure == nil), "either complete or error")
	tr.prove(t)
	return tr
}

// add adds an event, the first of those that are left.
func (tr *transcript) add(t *testing.T, event chat.Event, left []chat.Event) {
	t.Helper()
	require.Equal(t, event.ID == 1, event.Type == wire.EventStart, "start comes first and once")
	switch event.Type {
	case wire.EventStart:
		tr.start = decode[wire.Start](t, event)
	case wire.EventChunk:
		tr.chunks = append(tr.chunks, decode[wire.Text](t, event).Text)
	case wire.EventMessageObject, wire.EventDocumentChunk, wire.EventReasoning, wire.EventToolCall:
	case wire.EventChatName:
		require.Nil(t, tr.complete, "a name comes before complete")
	case wire.EventComplete:
		complete := decode[wire.Complete](t, event)
		tr.complete = &complete
		require.Len(t, left, 2)
	case wire.EventError:
		failure := decode[chat.Failure](t, event)
		tr.failure = &failure
		require.Len(t, left, 2)
	case wire.EventEnd:
		require.Equal(t, "{}", string(event.Data))
		require.Len(t, left, 1, "nothing comes after end")
	default:
		require.Failf(t, "unknown event", "event %d is a %s", event.ID, event.Type)
	}
	require.Equal(t, len(left) == 1, event.Type == wire.EventEnd, "end comes last")
}

// prove compares complete with the chunks.
func (tr *transcript) prove(t *testing.T) {
	t.Helper()
	if tr.complete == nil {
		return
	}
	text := tr.text()
	require.Equal(t, text, tr.complete.Message.Content)
	require.Equal(t, len(tr.chunks), tr.complete.Chunks)
	require.Equal(t, len(text), tr.complete.Bytes)
	require.Equal(t, fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))), tr.complete.CRC32)
	require.Equal(t, tr.start.MessageID, tr.complete.Message.ID)
	require.Equal(t, tr.start.ChatID, tr.complete.Message.ChatID)
	require.NotEmpty(t, tr.complete.Message.FinishReason)
	require.Empty(t, tr.complete.Message.StreamID)
}

// readUntil reads the first n events of a stream that continues, and leaves.
func readUntil(t *testing.T, stream *chat.Stream, n int) []chat.Event {
	t.Helper()
	var events []chat.Event
	for batch, err := range stream.Events(t.Context()) {
		require.NoError(t, err)
		if events = append(events, batch...); len(events) >= n {
			return events[:n]
		}
	}
	require.Failf(t, "the stream ended early", "after %d events, want %d", len(events), n)
	return nil
}

func decode[T any](t *testing.T, event chat.Event) (value T) {
	t.Helper()
	reader := json.NewDecoder(bytes.NewReader(event.Data))
	reader.DisallowUnknownFields()
	require.NoError(t, reader.Decode(&value), "event %d, %s", event.ID, event.Type)
	return value
}

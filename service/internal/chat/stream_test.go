package chat_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

func TestStreamOfEachPiece(t *testing.T) {
	t.Parallel()
	s := start(t, says(
		answering.Piece{Lookup: "looking <b> & \u2028"},
		answering.Piece{Text: "line\r\none "},
		answering.Piece{},
		answering.Piece{Object: wire.JSON("\n{\n \"image_urls\": [\"x\"],\n\"n\": 1e400}")},
		answering.Piece{Text: ""},
		answering.Piece{Text: "\x00 \"two\" 🙂"},
		answering.Piece{Text: "."},
		answering.Piece{FinishReason: wire.FinishLength},
	))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Equal(t, "start document_chunk message_object chat_name complete end", tr.types())
	require.Equal(t, []string{"line\r\none ", "\x00 \"two\" 🙂", "."}, tr.chunks)
	require.Equal(t, wire.FinishLength, tr.complete.Message.FinishReason)
	require.Equal(t, "looking <b> & \u2028", decode[wire.Text](t, tr.events[1]).Text)
	require.Contains(t, string(tr.events[1].Data), "<b> &", "events are not pages, and need no HTML escapes")
	require.JSONEq(t, `{"image_urls": ["x"], "n": 1}`, strings.Replace(string(tr.events[3].Data), "1e400", "1", 1))
	require.Equal(t, wire.ChatName{Name: "Hi"}, decode[wire.ChatName](t, tr.events[6]))
	require.Equal(t, tr.complete.Message, s.history(tr.start.ChatID).Messages[1])
	require.Equal(t, tr.start.UserMessageID, s.history(tr.start.ChatID).Messages[0].ID)
	require.Equal(t, []string{wire.FinishLength}, s.ended.list())
}

func TestStreamWithoutText(t *testing.T) {
	t.Parallel()
	s := start(t, says(answering.Piece{}, answering.Piece{FinishReason: wire.FinishStop}))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Equal(t, "start chat_name complete end", tr.types())
	require.Equal(t, "00000000", tr.complete.CRC32)
}

func TestStreamFinishesWithText(t *testing.T) {
	t.Parallel()
	s := start(t, says(answering.Piece{Text: "Bye", FinishReason: wire.FinishStop}))
	require.Equal(t, "Bye", read(t, s.send(ann, chat.Send{Message: "Hi"})).text())
}

func TestStreamContinuesAfterItsFinish(t *testing.T) {
	t.Parallel()
	model := newLive()
	stream := start(t, model).send(ann, chat.Send{Message: "Hi"})
	q := <-model
	q.give(answer{Piece: answering.Piece{Text: "One", FinishReason: wire.FinishLength}})
	readUntil(t, stream, 2)
	q.say(" two")
	close(q.pieces)
	tr := read(t, stream)
	require.Equal(t, []string{"One two", wire.FinishLength}, []string{tr.text(), tr.complete.Message.FinishReason})
}

// JSON cannot hold invalid UTF-8: the text that is sent is the text that is counted.
func TestStreamOfBrokenText(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("caf\xc3", "\xa9 \xff\xfe!", "\xed\xa0\x80")...))
	tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
	require.Equal(t, tr.text(), s.history(tr.start.ChatID).Messages[1].Content)
	require.True(t, strings.HasPrefix(tr.text(), "caf\uFFFD"))
}

func TestStreamOfManyPieces(t *testing.T) {
	t.Parallel()
	for _, n := range []int{511, 512, 513, 3000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			var texts []string
			for i := range n {
				texts = append(texts, fmt.Sprintf("%d ", i))
			}
			store := &measured{}
			s := start(t, says(words(texts...)...), func(c *chat.Config) { store.Store, c.Store = c.Store, store })
			tr := read(t, s.send(ann, chat.Send{Message: "Hi"}))
			require.Equal(t, texts, tr.chunks)
			require.Equal(t, strings.Join(texts, ""), s.history(tr.start.ChatID).Messages[1].Content)
			require.LessOrEqual(t, store.most, 512)
		})
	}
}

// measured is a store that knows its largest batch.
type measured struct {
	chat.Store
	most int
}

func (m *measured) AppendEvents(ctx context.Context, lease stream.Lease, events []chat.Event) error {
	m.most = max(m.most, len(events))
	return m.Store.AppendEvents(ctx, lease, events)
}

func TestHistoryWhileAnswerIsWritten(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	begun := decode[wire.Start](t, readUntil(t, stream, 1)[0])
	q := <-model
	so := func() wire.Message { return s.history(begun.ChatID).Messages[1] }
	require.Equal(t, wire.Message{
		ID: begun.MessageID, ChatID: begun.ChatID, Role: wire.RoleAssistant, CreatedAt: float64(noon.Unix()),
		AgentID: "assistant", StreamID: begun.StreamID, ParentID: begun.UserMessageID,
	}, so())
	for i, text := range []string{"One", " two", " three"} {
		q.say(text)
		readUntil(t, stream, i+2)
		require.Equal(t, []string{"One", "One two", "One two three"}[i], so().Content, "what a reader has is stored")
		require.Equal(t, begun.StreamID, so().StreamID)
		require.Empty(t, so().FinishReason)
	}
	require.Equal(t, 1, s.Running())
	require.Equal(t, chat.Untitled, s.history(begun.ChatID).Name)
	q.finish()
	require.Equal(t, read(t, stream).complete.Message, so())
	require.Zero(t, s.Running())
}

func TestStreamHasManyReaders(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	stream := s.send(ann, chat.Send{Message: "Hi"})
	var readers sync.WaitGroup
	var all [20]transcript
	follow := func(i int) { readers.Go(func() { all[i] = read(t, stream) }) }
	q := <-model
	for i := range 10 {
		follow(i)
		q.say(fmt.Sprint("piece ", i, " "))
	}
	for i := 10; i < 20; i++ {
		follow(i)
	}
	q.finish()
	readers.Wait()
	for _, tr := range all {
		require.Equal(t, all[0], tr)
	}
	require.Equal(t, all[0], read(t, stream), "a stream that has ended can be read too")
}

func TestSlowReaderBlocksNobody(t *testing.T) {
	t.Parallel()
	s := start(t, says(words(strings.Split(strings.Repeat("word ", 2000), " ")...)...))
	stream := s.send(ann, chat.Send{Message: "Hi"})
	for _, err := range stream.Events(t.Context()) { // holds its first batch until the others are done
		require.NoError(t, err)
		require.NotNil(t, read(t, stream).complete)
		s.ask(ann, chat.Send{Message: "And you?"})
		break
	}
}

func TestReaderLeaves(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	ctx, cancel := context.WithCancel(t.Context())
	stream, err := s.Send(ctx, ann, chat.Send{Message: "Hi"})
	require.NoError(t, err)
	q := <-model
	q.say("One")
	readUntil(t, stream, 2)
	cancel()
	for _, err := range stream.Events(ctx) {
		if err != nil {
			require.ErrorIs(t, err, context.Canceled)
		}
	}
	_, err = stream.Response(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, q.ctx.Err(), "the answer continues")
	q.say(" two")
	q.finish()
	require.Equal(t, "One two", read(t, stream).text())
}

func TestAnswerWithoutReaders(t *testing.T) {
	t.Parallel()
	model := newLive()
	s := start(t, model)
	ctx, cancel := context.WithCancel(t.Context())
	_, err := s.Send(ctx, ann, chat.Send{Message: "Hi"})
	require.NoError(t, err)
	cancel()
	q := <-model
	q.say("Nobody ", "reads")
	q.finish()
	s.Close(t.Context())
	page, err := s.ListChats(t.Context(), ann, 0, 10)
	require.NoError(t, err)
	answer := s.history(page.Chats[0].ChatID).Messages[1]
	require.Equal(t, []string{"Nobody reads", wire.FinishStop}, []string{answer.Content, answer.FinishReason})
}

func TestSendThatWasGivenUp(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	_, err := s.Send(cancelled(), ann, chat.Send{Message: "Hi"})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, s.Running())
	page, err := s.ListChats(t.Context(), ann, 0, 10)
	require.NoError(t, err)
	require.Empty(t, page.Chats)
}

package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

func TestWhoGetsAStream(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	for _, test := range []struct {
		accept, skip string
		stream       bool
	}{
		{"text/event-stream", "", true}, {"text/event-stream", "false", true}, {"TEXT/Event-Stream", "", true},
		{"application/json, text/event-stream;q=0.5", "", true}, {"text/event-stream; charset=utf-8, */*", "", true},
		{"text/event-stream", "true", false}, {"", "", false}, {"*/*", "", false}, {"text/*", "", false},
		{"application/json", "", false}, {"text/event-stream;q=0", "", false}, {"text/event-stream ; Q=0.000", "", false}, {"text/event-streams", "", false},
	} {
		t.Run(test.accept+" "+test.skip, func(t *testing.T) {
			t.Parallel()
			var fields []field
			if test.skip != "" {
				fields = []field{{name: "skip_stream", value: test.skip}}
			}
			w := s.send(as("ann").with("accept", test.accept), fields...)
			require.Equal(t, http.StatusOK, w.Code, w.Body)
			require.Equal(t, test.stream, strings.HasPrefix(w.Header().Get("Content-Type"), "text/event-stream"))
		})
	}
}

func TestStream(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.provider = say(answering.Piece{Lookup: "Looking"}, answering.Piece{Text: "Hello <b>\n"}, answering.Piece{Object: wire.JSON(`{"image_urls": [ ]}`)},
			answering.Piece{Text: "you 😀"}, answering.Piece{FinishReason: wire.FinishLength})
	})
	w := s.send(as("ann").with("accept", "text/event-stream"))
	header := w.Header()
	require.Equal(t, "text/event-stream", header.Get("Content-Type"))
	require.Equal(t, "no-cache, no-transform", header.Get("Cache-Control"))
	require.Equal(t, "no", header.Get("X-Accel-Buffering"))
	require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
	require.True(t, w.Flushed)

	page, err := s.store.ListChats(t.Context(), access.Scope{ProjectID: project}, 0, 1)
	require.NoError(t, err)
	history, err := s.store.ChatHistory(t.Context(), access.Scope{ProjectID: project}, page.Chats[0].ChatID)
	require.NoError(t, err)
	question, answer := history.Messages[0], history.Messages[1]
	blocks := strings.Split(w.Body.String(), "\n\n")
	begin := `^id: 1\nevent: start\ndata: {"stream_id":"stream_[a-z0-9]{8}[a-z2-7]{26}","chat_id":%q,"message_id":%q,"user_message_id":%q}$`
	require.Regexp(t, fmt.Sprintf(begin, history.ChatID, answer.ID, question.ID), blocks[0])
	require.Equal(t, []string{
		"id: 2\nevent: document_chunk\ndata: {\"text\":\"Looking\"}",
		`id: 3` + "\nevent: chunk\n" + `data: {"text":"Hello <b>\n"}`,
		"id: 4\nevent: message_object\ndata: {\"image_urls\":[]}",
		"id: 5\nevent: chunk\ndata: {\"text\":\"you 😀\"}",
		"id: 6\nevent: chat_name\ndata: {\"name\":\"Hi\"}",
	}, blocks[1:6])
	require.Contains(t, blocks[6], `"content":"Hello <b>\nyou 😀"`)
	require.Equal(t, "id: 8\nevent: end\ndata: {}", blocks[7])
	require.Equal(t, []string{""}, blocks[8:])
}

func TestStreamOfAFailedAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		up.provider = failing(&fault.Error{Code: wire.CodeProviderTimeout, Message: "The model fell silent", Cause: errors.New("hunter2")})
	})
	w := s.send(as("ann").with("accept", "text/event-stream"))
	require.Equal(t, http.StatusOK, w.Code)
	require.Contains(t, w.Body.String(), "id: 2\nevent: chunk\ndata: {\"text\":\"Well\"}\n\n"+
		"id: 3\nevent: error\ndata: {\"status_code\":504,\"error\":{\"code\":\"PROVIDER_TIMEOUT\",\"message\":\"The model fell silent\"}}\n\n"+
		"id: 4\nevent: end\ndata: {}\n\n")
}

// A refusal is an error and not a stream, whatever the client accepts.
func TestRefusalsAreNotStreams(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	w := s.send(as("ann").with("accept", "text/event-stream"), field{name: "chat_id", value: "chat_x"})
	refusal(t, w, 404, wire.CodeNotFound)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
}

// If its chat is deleted, an answer ends with the same 404 as an unknown chat.
func TestStreamOfADeletedChat(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"text/event-stream", "application/json"} {
		waiting := make(chan struct{})
		s := start(t, func(up *setup) {
			up.provider = func(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
				return func(yield func(answering.Piece, error) bool) {
					close(waiting)
					<-ctx.Done()
					yield(answering.Piece{}, ctx.Err())
				}
			}
		})
		created := decode[wire.Chat](t, s.do("POST", "/chat/create", as("ann").json(), `{"project_id":"demo"}`))
		deleted := make(chan int, 1)
		go func() {
			<-waiting
			deleted <- s.do("DELETE", "/chat/delete", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q}`, created.ChatID)).Code
		}()
		w := s.send(as("ann").with("accept", accept), field{name: "chat_id", value: created.ChatID})
		require.Equal(t, http.StatusOK, <-deleted)
		if accept == "application/json" {
			refusal(t, w, 404, wire.CodeNotFound)
			continue
		}
		require.Contains(t, w.Body.String(), `event: error`+"\n"+`data: {"status_code":404,"error":{"code":"ENTITY_NOT_FOUND"`)
	}
}

// A slow reader gets all that waits for it in a few writes. Each is small enough for its deadline,
// and has no more events than one batch.
func TestBacklogsGoOutTogether(t *testing.T) {
	t.Parallel()
	pieces := make([]answering.Piece, 6_000)
	for i := range pieces {
		pieces[i].Text = fmt.Sprintf("word%d ", i)
	}
	pieces[len(pieces)-1].FinishReason = wire.FinishStop
	ended := make(chan struct{})
	s := start(t, func(up *setup) {
		up.provider = say(pieces...)
		up.chat.Ended = func(string) { close(ended) }
	})
	sent := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: project})
	r := httptest.NewRequest("POST", "/v3/chat/message", strings.NewReader(sent.text))
	for name, value := range as("ann").with("accept", "text/event-stream").with("content-type", sent.contentType) {
		r.Header.Set(name, value)
	}
	w := &slowWriter{ResponseRecorder: httptest.NewRecorder(), until: ended}
	s.ServeHTTP(w, r)
	require.Equal(t, len(pieces), strings.Count(w.Body.String(), "event: chunk\n"))
	require.LessOrEqual(t, slices.Max(w.writes), writeBytes)
	full := len(pieces)/batchEvents + 1
	require.LessOrEqual(t, len(w.writes), full+3, "start, what was being read meanwhile, and the rest")
}

const (
	writeBytes  = 64 << 10
	batchEvents = 512
)

// slowWriter takes its first event when the answer has ended.
type slowWriter struct {
	*httptest.ResponseRecorder
	until  <-chan struct{}
	writes []int
}

func (w *slowWriter) Write(text []byte) (int, error) {
	<-w.until
	w.writes = append(w.writes, len(text))
	return w.ResponseRecorder.Write(text)
}

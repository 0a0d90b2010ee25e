package httpapi_test

import (
	"context"
	"fmt"
	"iter"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

const eventStream = "text/event-stream"

// streamed sends a message for a stream, and returns the whole stream and its start.
func (s *service) streamed(h headers, fields ...field) (string, wire.Start) {
	s.t.Helper()
	w := s.send(h.with("accept", eventStream), fields...)
	require.Equal(s.t, 200, w.Code, w.Body)
	return w.Body.String(), startOf(s.t, w)
}

func startOf(t testing.TB, w *httptest.ResponseRecorder) wire.Start {
	t.Helper()
	_, rest, found := strings.Cut(w.Body.String(), "event: start\ndata: ")
	require.True(t, found, w.Body)
	data, _, _ := strings.Cut(rest, "\n")
	recorder := httptest.NewRecorder()
	recorder.Body.WriteString(data)
	return decode[wire.Start](t, recorder)
}

func (s *service) resume(h headers, streamID, after string) *httptest.ResponseRecorder {
	if after != "" {
		h = h.with("last-event-id", after)
	}
	return s.do("GET", "/v3/chat/stream/"+streamID, h, "")
}

func (s *service) stop(h headers, streamID string) *httptest.ResponseRecorder {
	return s.do("POST", "/v3/chat/stream/"+streamID+"/stop", h, "")
}

func (s *service) regenerate(h headers, chatID, messageID string) *httptest.ResponseRecorder {
	body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q}`, chatID, messageID)
	return s.do("POST", "/v3/chat/message/regenerate", h.json(), body)
}

func TestResume(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	whole, begun := s.streamed(as("ann"))
	blocks := strings.SplitAfter(whole, "\n\n")
	last := len(blocks) - 1
	require.Equal(t, whole, s.resume(as("ann"), begun.StreamID, "").Body.String())
	for after := range last + 1 {
		w := s.resume(as("ann"), begun.StreamID, fmt.Sprint(after))
		require.Equal(t, 200, w.Code)
		require.Equal(t, eventStream, w.Header().Get("Content-Type"))
		require.Equal(t, strings.Join(blocks[after:], ""), w.Body.String())
	}
	for _, after := range []string{fmt.Sprint(last + 1), "-1", "x", "1.0", " ", "0x1", "1,2", "99999999999999999999"} {
		refusal(t, s.resume(as("ann"), begun.StreamID, after), 400, wire.CodeValidation, "last-event-id")
	}
	w := s.do("HEAD", "/v3/chat/stream/"+begun.StreamID, as("ann"), "")
	require.Equal(t, eventStream, w.Header().Get("Content-Type"))
	require.Empty(t, w.Body.String())
}

func TestEventsThatAreGone(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	whole, begun := s.streamed(keyed("ann", "k"))
	s.now.at = s.now.at.Add(chat.DefaultRetention)
	refusal(t, s.resume(as("ann"), begun.StreamID, ""), 410, wire.CodeStreamGone)
	refusal(t, s.resume(asServer(), begun.StreamID, "2"), 410, wire.CodeStreamGone)
	refusal(t, s.resume(as("bob"), begun.StreamID, ""), 404, wire.CodeNotFound)
	w := s.send(keyed("ann", "k").with("accept", eventStream))
	require.Equal(t, "true", w.Header().Get("Idempotent-Replayed"))
	again := startOf(t, w)
	require.NotEqual(t, begun.StreamID, again.StreamID)
	require.Equal(t, begun.MessageID, again.MessageID)
	require.NotEqual(t, whole, w.Body.String())
	require.Equal(t, 1, strings.Count(w.Body.String(), "event: chunk\n"))
	require.Contains(t, w.Body.String(), `data: {"text":"Hello you"}`)
	require.Equal(t, w.Body.String(), s.resume(as("ann"), again.StreamID, "").Body.String())
}

// What belongs to somebody else looks, byte for byte, like what doesn't exist.
func TestStreamsOfOthers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	_, mine := s.streamed(keyed("ann", "k"))
	_, nobodys := s.streamed(asServer())
	callers := []struct {
		name          string
		headers       headers
		mine, nobodys bool
	}{
		{"owner", as("ann"), true, false},
		{"owner by token", s.token(wire.AccessTokenRequest{UserID: "ann"}), true, false},
		{"other user", as("bob"), false, false},
		{"other user by token", s.token(wire.AccessTokenRequest{UserID: "bob"}), false, false},
		{"token of an administrator", s.token(wire.AccessTokenRequest{UserID: "eve", Role: wire.RoleAdmin}), false, false},
		{"API key", asServer(), true, true},
	}
	for _, caller := range callers {
		t.Run(caller.name, func(t *testing.T) {
			for _, call := range []func(streamID string) *httptest.ResponseRecorder{
				func(id string) *httptest.ResponseRecorder { return s.resume(caller.headers, id, "") },
				func(id string) *httptest.ResponseRecorder { return s.resume(caller.headers, id, "99") },
				func(id string) *httptest.ResponseRecorder { return s.stop(caller.headers, id) },
			} {
				unknown := call("stream_unknown")
				refusal(t, unknown, 404, wire.CodeNotFound)
				for id, may := range map[string]bool{mine.StreamID: caller.mine, nobodys.StreamID: caller.nobodys} {
					w := call(id)
					if may {
						require.NotEqual(t, 404, w.Code)
						continue
					}
					require.Equal(t, 404, w.Code)
					require.Equal(t, unknown.Body.String(), w.Body.String())
				}
			}
			unknown := s.regenerate(caller.headers, "chat_unknown", "msg_unknown")
			if !caller.mine {
				require.Equal(t, unknown.Body.String(), s.regenerate(caller.headers, mine.ChatID, mine.MessageID).Body.String())
				stopped := s.do("POST", "/v3/chat/stop", caller.headers.with("idempotency-key", "k"), "")
				require.Equal(t, 404, stopped.Code)
				unknown := s.do("POST", "/v3/chat/stop", caller.headers.with("idempotency-key", "unknown"), "")
				require.Equal(t, unknown.Body.String(), stopped.Body.String())
			}
		})
	}
	refusal(t, s.resume(nil, mine.StreamID, ""), 401, wire.CodeAuthentication)
	refusal(t, s.stop(nil, mine.StreamID), 401, wire.CodeAuthentication)
}

// hanging is a model that says a word and then nothing, until it is cancelled.
func hanging(asked chan<- struct{}) script {
	return func(ctx context.Context, _ answering.Prompt) iter.Seq2[answering.Piece, error] {
		return func(yield func(answering.Piece, error) bool) {
			if !yield(answering.Piece{Text: "Well"}, nil) {
				return
			}
			asked <- struct{}{}
			<-ctx.Done()
			yield(answering.Piece{}, ctx.Err())
		}
	}
}

func TestStopByStreamAndByKey(t *testing.T) {
	t.Parallel()
	for _, byKey := range []bool{false, true} {
		for _, accept := range []string{eventStream, "application/json"} {
			t.Run(fmt.Sprint(byKey, accept), func(t *testing.T) {
				t.Parallel()
				asked := make(chan struct{}, 1)
				s := start(t, func(up *setup) { up.provider = hanging(asked) })
				sent := make(chan *httptest.ResponseRecorder)
				go func() { sent <- s.send(keyed("ann", "k").with("accept", accept)) }()
				<-asked
				stop := func() *httptest.ResponseRecorder {
					if byKey {
						return s.do("POST", "/v3/chat/stop", keyed("ann", "k"), "")
					}
					page, err := s.store.ListChats(t.Context(), access.Scope{ProjectID: project}, 0, 1)
					require.NoError(t, err)
					history, err := s.store.ChatHistory(t.Context(), access.Scope{ProjectID: project}, page.Chats[0].ChatID)
					require.NoError(t, err)
					return s.stop(as("ann"), history.Messages[1].StreamID)
				}
				first := stop()
				require.Equal(t, 200, first.Code, first.Body)
				receipt := decode[wire.StopReceipt](t, first)
				require.True(t, receipt.Stopped)
				require.True(t, strings.HasPrefix("Well", receipt.Message.Content))
				require.Equal(t, wire.FinishStopped, receipt.Message.FinishReason)
				w := <-sent
				require.Equal(t, 200, w.Code)
				require.Contains(t, w.Body.String(), `"finish_reason":"stopped"`)
				if accept == eventStream {
					require.True(t, strings.HasSuffix(w.Body.String(), fmt.Sprintf("id: %d\nevent: end\ndata: {}\n\n", receipt.LastEventID)))
					require.Equal(t, first.Body.String(), s.stop(as("ann"), startOf(t, w).StreamID).Body.String())
				}
				if byKey {
					require.Equal(t, first.Body.String(), stop().Body.String())
				}
			})
		}
	}
}

func TestStopByAnUnknownKey(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	require.Equal(t, 200, s.do("POST", "/chat/create", keyed("ann", "chat").json(), `{"project_id":"demo"}`).Code)
	unknown := s.do("POST", "/v3/chat/stop", keyed("ann", "unknown"), "")
	refusal(t, unknown, 404, wire.CodeNotFound)
	require.Equal(t, unknown.Body.String(), s.do("POST", "/v3/chat/stop", keyed("ann", "chat"), "").Body.String())
}

func TestRegenerate(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := s.newChat("ann")
	h := keyed("ann", "again")
	w := s.regenerate(h, first.ChatID, first.MessageID)
	require.Equal(t, 200, w.Code, w.Body)
	second := decode[wire.SendMessageResponse](t, w)
	require.NotEqual(t, first.MessageID, second.MessageID)
	repeat := s.regenerate(h, first.ChatID, first.MessageID)
	require.Equal(t, "true", repeat.Header().Get("Idempotent-Replayed"))
	require.Equal(t, w.Body.String(), repeat.Body.String())

	history := s.pathOf(first.ChatID, "")
	siblings := []string{first.MessageID, second.MessageID}
	second.Message.Siblings = siblings
	require.Equal(t, []wire.Message{history.Messages[0], second.Message}, history.Messages)
	refusal(t, s.regenerate(as("ann"), first.ChatID, history.Messages[0].ID), 400, wire.CodeValidation, "message_id")
	refusal(t, s.regenerate(as("ann"), first.ChatID, "msg_none"), 404, wire.CodeNotFound, "message_id")

	s.streamed(as("ann"), field{name: "chat_id", value: first.ChatID})
	streamed := s.regenerate(as("ann").with("accept", eventStream), first.ChatID, first.MessageID)
	require.Equal(t, eventStream, streamed.Header().Get("Content-Type"))
	third := startOf(t, streamed)
	require.Equal(t, history.Messages[0].ID, third.UserMessageID)
	require.Equal(t, append(siblings, third.MessageID), s.pathOf(first.ChatID, "").Messages[1].Siblings, "any answer, not only the last")
}

// pathOf returns the history of a chat, with a query.
func (s *service) pathOf(chatID, query string) wire.ChatHistoryResponse {
	s.t.Helper()
	w := s.do("GET", "/project/demo/chat/"+chatID+"/all"+query, as("ann"), "")
	require.Equal(s.t, 200, w.Code, w.Body)
	return decode[wire.ChatHistoryResponse](s.t, w)
}

func TestBranches(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := s.newChat("ann")
	send := func(fields ...field) wire.SendMessageResponse {
		w := s.send(as("ann"), append(fields, field{name: "chat_id", value: first.ChatID})...)
		require.Equal(t, 200, w.Code, w.Body)
		return decode[wire.SendMessageResponse](t, w)
	}
	second := send()
	question := second.Message.ParentID
	edited := send(field{name: "edits", value: question})
	beside := send(field{name: "parent_id", value: first.MessageID})
	path := s.pathOf(first.ChatID, "").Messages
	require.Len(t, path, 4)
	require.Equal(t, []string{question, edited.Message.ParentID, beside.Message.ParentID}, path[2].Siblings)
	require.Equal(t, first.MessageID, path[2].ParentID)

	w := s.do("POST", "/chat/branch", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q}`, first.ChatID, question))
	require.JSONEq(t, fmt.Sprintf(`{"message_id":%q}`, second.MessageID), w.Body.String())
	require.Equal(t, second.MessageID, s.pathOf(first.ChatID, "").Messages[3].ID)
	require.Equal(t, edited.MessageID, s.pathOf(first.ChatID, "?message_id="+edited.MessageID).Messages[3].ID)
	require.Len(t, s.pathOf(first.ChatID, "?branches=all").Messages, 8)
	newest := s.pathOf(first.ChatID, "?branches=all&limit=3")
	require.True(t, newest.HasMore)
	require.Equal(t, beside.MessageID, newest.Messages[2].ID)

	w = s.do("GET", "/project/demo/chat/"+first.ChatID+"/message/"+edited.MessageID, as("ann"), "")
	require.Equal(t, edited.Message, decode[wire.Message](t, w), "on the path or not")
	for path, code := range map[string]int{
		"/project/demo/chat/" + first.ChatID + "/message/msg_none": 404, "/project/demo/chat/none/message/" + edited.MessageID: 404,
		"/project/demo/chat/" + first.ChatID + "/all?message_id=msg_none": 404, "/project/demo/chat/" + first.ChatID + "/all?branches=some": 400,
		"/project/demo/chat/" + first.ChatID + "/all?branches=all&message_id=" + question: 400,
	} {
		require.Equal(t, code, s.do("GET", path, as("ann"), "").Code, path)
	}
	none := s.do("POST", "/chat/branch", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":"msg_none"}`, first.ChatID))
	refusal(t, none, 404, wire.CodeNotFound, "message_id")
	refusal(t, s.send(as("ann"), field{name: "chat_id", value: first.ChatID}, field{name: "parent_id", value: question}), 400, wire.CodeValidation, "parent_id")
	refusal(t, s.send(as("ann"), field{name: "edits", value: question}), 400, wire.CodeValidation, "chat_id")
}

func TestARepeatedSelectionDoesNotChangeThePath(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	first := s.newChat("ann")
	edited := decode[wire.SendMessageResponse](t, s.send(as("ann"),
		field{name: "chat_id", value: first.ChatID}, field{name: "edits", value: first.Message.ParentID}))
	selects := func(key, messageID string) *httptest.ResponseRecorder {
		return s.do("POST", "/chat/branch", keyed("ann", key).json(),
			fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q}`, first.ChatID, messageID))
	}
	leads := func(want wire.SendMessageResponse, w *httptest.ResponseRecorder, replayed string) {
		t.Helper()
		require.JSONEq(t, fmt.Sprintf(`{"message_id":%q}`, want.MessageID), w.Body.String())
		require.Equal(t, replayed, w.Header().Get("Idempotent-Replayed"))
	}
	leads(first, selects("one", first.Message.ParentID), "")
	leads(edited, selects("two", edited.MessageID), "")
	leads(first, selects("one", first.Message.ParentID), "true")
	require.Equal(t, edited.MessageID, s.pathOf(first.ChatID, "").Messages[1].ID, "a repeat does not change the path")
	refusal(t, selects("one", edited.MessageID), 422, wire.CodeKeyReused, "idempotency-key")
	refusal(t, selects("three", "msg_none"), 404, wire.CodeNotFound, "message_id")
	leads(first, selects("three", first.MessageID), "")
}

func TestRegenerateNeedsItsFields(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	post := func(body string) *httptest.ResponseRecorder {
		return s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), body)
	}
	refusal(t, post(`{}`), 400, wire.CodeValidation, "project_id", "chat_id", "message_id")
	refusal(t, post(`{"project_id":"demo","chat_id":"","message_id":7}`), 400, wire.CodeValidation, "chat_id", "message_id")
	refusal(t, post(`{"project_id":"other","chat_id":"c","message_id":"m"}`), 404, wire.CodeNotFound)
	refusal(t, s.do("POST", "/v3/chat/message/regenerate", as("ann"), `{}`), 415, wire.CodeUnsupportedMedia)
}

// The path leads to an answer as soon as it starts, and stays there if it is stopped in the middle.
func TestHistoryWhileRegenerating(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	var model script = say(answering.Piece{Text: "Old", FinishReason: wire.FinishStop})
	s := start(t, func(up *setup) {
		up.provider = func(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
			return model(ctx, prompt)
		}
	})
	old := s.newChat("ann")
	model = hanging(asked)
	done := make(chan *httptest.ResponseRecorder)
	go func() { done <- s.regenerate(as("ann"), old.ChatID, old.MessageID) }()
	<-asked
	now := s.pathOf(old.ChatID, "").Messages
	require.Len(t, now, 2)
	require.Equal(t, []string{old.MessageID, now[1].ID}, now[1].Siblings)
	require.Equal(t, 200, s.stop(as("ann"), now[1].StreamID).Code)
	require.Equal(t, wire.FinishStopped, decode[wire.SendMessageResponse](t, <-done).Message.FinishReason)
	require.Equal(t, now[1].ID, s.pathOf(old.ChatID, "").Messages[1].ID)
}

// Repeats are answered even where new requests have reached their limit.
func TestRepeatsAtTheLimit(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.chat.Limits.SendsPerMinute = 1 })
	require.Equal(t, 200, s.send(keyed("ann", "k")).Code)
	for range 3 {
		require.Equal(t, 200, s.send(keyed("ann", "k")).Code)
	}
	refusal(t, s.send(keyed("ann", "other")), 429, wire.CodeRateLimited)
	s.now.at = s.now.at.Add(time.Minute)
	w := s.send(keyed("ann", "other"))
	require.Equal(t, 200, w.Code)
	require.Empty(t, w.Header().Get("Idempotent-Replayed"), "the refusal left the key free")
}

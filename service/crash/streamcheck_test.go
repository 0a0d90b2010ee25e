package crash_test

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// check compares what a restarted process returns with what readers received before the kill.
func (s *streams) check(p *witness.Process) {
	s.t.Helper()
	c := newClient(s.t, p)
	defer c.close()
	for _, r := range s.last {
		s.checkAnswer(c, r)
	}
	for _, r := range s.before { // check again, after another kill
		_, events, _ := s.repeat(c, r)
		require.Equal(s.t, r.whole, s.resume(c, r, events[0].Start.StreamID, 0), r.question)
	}
	s.checkHistories(c)
}

// checkAnswer sends a message again with its key, and compares the answer with what was read before.
func (s *streams) checkAnswer(c *client, r *reading) {
	s.t.Helper()
	outcome, events, failure := s.repeat(c, r)
	require.LessOrEqual(s.t, len(r.seen), len(events), "%s: events that were read are lost", r.question)
	for i, event := range r.seen {
		require.Equal(s.t, event, events[i], r.question)
	}
	whole := strings.Join(pieces(r.question), "")
	switch {
	case outcome == wire.EventComplete:
		require.Equal(s.t, whole, text(events), r.question)
		s.counts.whole++
	default:
		require.Equal(s.t, http.StatusServiceUnavailable, failure.Status, r.question)
		require.Equal(s.t, wire.CodeUnavailable, failure.Code, r.question)
		require.True(s.t, strings.HasPrefix(whole, text(events)), r.question)
		require.Equal(s.t, text(events), failure.Partial, r.question)
		s.counts.broken++
		if len(r.seen) == 0 {
			s.counts.unsent++
		}
	}
	s.checkStream(c, r, events, outcome)
	require.LessOrEqual(s.t, s.asked(r.question), 1, "%s: model calls", r.question)

	again, repeated, _ := s.repeat(c, r)
	require.Equal(s.t, outcome, again, r.question)
	require.Equal(s.t, events, repeated, r.question)
}

func (s *streams) asked(question string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[question]
}

// repeat sends a message again with its key. Outcome is the type of the last event of the answer:
// complete or error.
func (s *streams) repeat(c *client, r *reading) (outcome string, events []sdk.Event, failure *sdk.APIError) {
	s.t.Helper()
	for event, err := range s.client(c, r.userID).Stream(s.t.Context(), r.question, r.options()) {
		if err != nil {
			require.True(s.t, errors.As(err, &failure), "%s: %v", r.question, err)
			return wire.EventError, events, failure
		}
		events = append(events, event)
		if event.Type == wire.EventComplete {
			outcome = event.Type
		}
	}
	return outcome, events, nil
}

// checkStream reads the whole stream. Then it resumes after a random event, after the last event but
// one, and after the last one.
func (s *streams) checkStream(c *client, r *reading, events []sdk.Event, outcome string) {
	s.t.Helper()
	streamID := events[0].Start.StreamID
	r.whole = s.resume(c, r, streamID, 0)
	parts := strings.SplitAfter(r.whole, "\n\n")
	parts = parts[:len(parts)-1]
	last := len(parts)
	require.Contains(s.t, parts[last-2], "\nevent: "+outcome+"\n", r.question)
	require.Equal(s.t, "id: "+strconv.Itoa(last)+"\nevent: end\ndata: {}\n\n", parts[last-1], r.question)
	for i, part := range parts {
		require.True(s.t, strings.HasPrefix(part, "id: "+strconv.Itoa(i+1)+"\n"), part)
	}
	for _, after := range []int{s.random.IntN(last), last - 1, last} {
		require.Equal(s.t, strings.Join(parts[after:], ""), s.resume(c, r, streamID, after), "%s after event %d", r.question, after)
	}
}

// resume returns the bytes of a stream after an event.
func (s *streams) resume(c *client, r *reading, streamID string, after int) string {
	s.t.Helper()
	s.counts.resumed++
	q := get("/v3/chat/stream/" + streamID)
	q.userID, q.header = r.userID, map[string]string{"Last-Event-Id": strconv.Itoa(after)}
	status, body := c.do(q)
	require.Equal(s.t, http.StatusOK, status, "%s after event %d: %s", r.question, after, body)
	return string(body)
}

// checkHistories requires that each question is in its chat once, followed by its answer, which is
// complete or marked as failed.
func (s *streams) checkHistories(c *client) {
	s.t.Helper()
	histories := map[string][]wire.Message{}
	for _, r := range s.last {
		messages, known := histories[r.chatID]
		if !known {
			q := get("/project/demo/chat/" + r.chatID + "/all")
			q.userID = r.userID
			messages = must[wire.ChatHistoryResponse](c, q).Messages
			histories[r.chatID] = messages
		}
		isQuestion := func(m wire.Message) bool { return m.Role == wire.RoleUser && m.Content == r.question }
		i := slices.IndexFunc(messages, isQuestion)
		require.NotEqual(s.t, -1, i, r.question)
		require.False(s.t, slices.ContainsFunc(messages[i+1:], isQuestion), "%s occurs twice", r.question)
		answer := messages[i+1]
		_, events, failure := s.repeat(c, r)
		require.Equal(s.t, text(events), answer.Content, r.question)
		require.Empty(s.t, answer.StreamID, r.question)
		want := wire.FinishStop
		if failure != nil {
			want = wire.FinishError
		}
		require.Equal(s.t, want, answer.FinishReason, r.question)
	}
}

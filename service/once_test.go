package main_test

import (
	"bufio"
	"bytes"
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// sendKeyed sends a message with a key.
func (p *process) sendKeyed(key, accept, message string) reply {
	p.t.Helper()
	header, body := form(message)
	header.Set("Idempotency-Key", key)
	header.Set("Accept", accept)
	return p.do(http.MethodPost, "/v3/chat/message", header, body)
}

func (p *process) resume(streamID, after string) reply {
	p.t.Helper()
	header := http.Header{}
	if after != "" {
		header.Set("Last-Event-Id", after)
	}
	return p.do(http.MethodGet, "/v3/chat/stream/"+streamID, header, "")
}

const eventStream = "text/event-stream"

// Keys and streams outlive a restart.
func TestKeysOutliveARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	first := p.sendKeyed("k", eventStream, "Hi "+word)
	require.Equal(t, http.StatusOK, first.status)
	streamID := startOf(t, first).StreamID
	whole := p.sendKeyed("k", "", "Hi "+word)
	p.stop()

	p = startIn(t, folder, nil)
	for range 2 {
		again := p.sendKeyed("k", eventStream, "Hi "+word)
		require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
		require.Equal(t, string(first.body), string(again.body))
		require.Equal(t, string(first.body), string(p.resume(streamID, "").body))
		require.Equal(t, string(whole.body), string(p.sendKeyed("k", "", "Hi "+word).body))
	}
	requireError(t, p.sendKeyed("k", "", "Hello"), http.StatusUnprocessableEntity, wire.CodeKeyReused)
	require.Len(t, p.chats(), 1)
}

func startOf(t *testing.T, r reply) wire.Start {
	t.Helper()
	s := &stream{t: t, lines: bufio.NewReader(bytes.NewReader(r.body))}
	return decode[wire.Start](t, reply{status: 200, body: s.until(wire.EventStart)}, 200)
}

// A process that is killed loses nothing that a reader has seen. The next one
// ends the stream with an error, under the ids that follow, and the key returns
// it.
func TestKilledInMidAnswer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	model := newModel(t)
	p := startIn(t, folder, model.env())
	header, body := form("Hi " + word)
	header.Set("Idempotency-Key", "k")
	header.Set("Accept", eventStream)
	response := p.open(http.MethodPost, "/v3/chat/message", header, strings.NewReader(body))
	defer func() { _ = response.Body.Close() }()
	reading := &stream{t: t, body: response.Body, lines: bufio.NewReader(response.Body)}
	begun := decode[wire.Start](t, reply{status: 200, body: reading.until(wire.EventStart)}, 200)
	c := <-model.calls
	c.say("One ")
	reading.untilText("One ")
	c.say("two")
	reading.untilText("One two")
	p.kill()

	p = startIn(t, folder, model.env())
	answer := p.history(begun.ChatID).Messages[1]
	require.Equal(t, []string{"One two", wire.FinishError, ""}, []string{answer.Content, answer.FinishReason, answer.StreamID})
	resumed := p.resume(begun.StreamID, "3")
	require.Regexp(t, `^id: 4\nevent: error\ndata: \{"status_code":503,"error":\{"code":"UNAVAILABLE".*\nid: 5\nevent: end\ndata: \{\}\n\n$`,
		strings.ReplaceAll(string(resumed.body), "\n\nid: 5", "\nid: 5"))
	whole := p.resume(begun.StreamID, "")
	again := p.sendKeyed("k", eventStream, "Hi "+word)
	require.Equal(t, "true", again.header.Get("Idempotent-Replayed"))
	require.Equal(t, string(whole.body), string(again.body))
	requireError(t, p.sendKeyed("k", "", "Hi "+word), http.StatusServiceUnavailable, wire.CodeUnavailable)
	receipt := decode[wire.StopReceipt](t, p.do(http.MethodPost, "/v3/chat/stream/"+begun.StreamID+"/stop", nil, ""), 200)
	require.False(t, receipt.Stopped)
	require.EqualValues(t, 5, receipt.LastEventID)
	select {
	case <-model.calls:
		require.Fail(t, "the model was asked again")
	default:
	}
	p.stop()
	requireIntact(t, folder)
}

// requireIntact requires that the database is intact.
func requireIntact(t *testing.T, folder string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "data", "chatsdk.db")+"?mode=ro")
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	var verdict string
	require.NoError(t, db.QueryRow("PRAGMA integrity_check").Scan(&verdict))
	require.Equal(t, "ok", verdict)
}

// An answer that a user stops ends the call to the model.
func TestStopReachesTheModel(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env())
	s, c := p.answering(model, "Hi "+word, "One")
	receipt := decode[wire.StopReceipt](t, p.do(http.MethodPost, "/v3/chat/stream/"+s.start.StreamID+"/stop", nil, ""), 200)
	require.True(t, receipt.Stopped)
	<-c.gone
	require.Equal(t, receipt.Message, s.complete().Message)
}

func TestStreamRetentionTakesEffect(t *testing.T) {
	t.Parallel()
	p := start(t, env{"STREAM_RETENTION": "1s"})
	streamID := startOf(t, p.sendKeyed("k", eventStream, "Hi")).StreamID
	for p.resume(streamID, "").status == http.StatusOK {
		// Until its time is over.
	}
	requireError(t, p.resume(streamID, ""), http.StatusGone, wire.CodeStreamGone)
	again := startOf(t, p.sendKeyed("k", eventStream, "Hi"))
	require.NotEqual(t, streamID, again.StreamID)
}

package main_test

import (
	"context"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

func TestSignalLetsAnswersFinish(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		folder, model := t.TempDir(), newModel(t)
		p := startIn(t, folder, model.env())
		s, c := p.answering(model, "Hi", "One")
		p.signal(signal)
		p.untilDraining()
		c.say(" two")
		s.untilText("One two")
		c.finish()
		require.Equal(t, "One two", s.complete().Message.Content)
		p.untilExit()

		answer := startIn(t, folder, nil).history(s.start.ChatID).Messages[1]
		require.Equal(t, []string{"One two", wire.FinishStop}, []string{answer.Content, answer.FinishReason})
	}
}

// An answer without readers is also finished.
func TestSignalWithoutReaders(t *testing.T) {
	t.Parallel()
	folder, model := t.TempDir(), newModel(t)
	p := startIn(t, folder, model.env())
	s := p.stream("Hi")
	c := <-model.calls
	s.leave()
	p.signal(syscall.SIGTERM)
	p.untilDraining()
	c.say("Nobody reads")
	c.finish()
	p.untilExit()
	answer := startIn(t, folder, nil).history(s.start.ChatID).Messages[1]
	require.Equal(t, []string{"Nobody reads", wire.FinishStop}, []string{answer.Content, answer.FinishReason})
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	folder, model := t.TempDir(), newModel(t)
	p := startIn(t, folder, model.env())
	s, _ := p.answering(model, "Hi", "One")
	p.signal(syscall.SIGTERM)
	p.untilDraining()
	p.signal(syscall.SIGTERM)
	<-p.exited
	require.False(t, p.cmd.ProcessState.Exited(), "the signal ended it")
	p.requireBroken(folder, s, "One")
}

// After a crash the next start ends what was being written, with all that a
// reader had seen.
func TestCrashInAnswer(t *testing.T) {
	t.Parallel()
	folder, model := t.TempDir(), newModel(t)
	p := startIn(t, folder, model.env())
	s := p.stream("Hi " + word)
	c := <-model.calls
	for _, text := range []string{"One", " two", " three " + word} {
		c.say(text)
	}
	s.untilText("One two three " + word)
	unfinished := p.history(s.start.ChatID).Messages[1]
	require.Equal(t, []string{s.text, "", s.start.StreamID}, []string{unfinished.Content, unfinished.FinishReason, unfinished.StreamID})
	p.kill()
	p.requireBroken(folder, s, "One two three "+word)
}

// requireBroken starts the service again and requires the answer to be marked
// as interrupted, with this text.
func (p *process) requireBroken(folder string, s *stream, text string) {
	p.t.Helper()
	next := startIn(p.t, folder, nil)
	history := next.history(s.start.ChatID)
	answer := history.Messages[1]
	require.Equal(p.t, []string{text, wire.FinishError, ""}, []string{answer.Content, answer.FinishReason, answer.StreamID})
	require.Equal(p.t, "Untitled", history.Name)
	require.Contains(p.t, next.stderr.String(), `"msg":"ended answers that the last run left open","count":1`)
	next.ask("And now?", wire.FieldChatID, s.start.ChatID)
}

// leave stops reading.
func (s *stream) leave() {
	s.t.Helper()
	require.NoError(s.t, s.body.Close())
}

// stuck is a model that says a word and no more.
type stuck struct{}

func (stuck) Answer(ctx context.Context, _ answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		yield(answering.Piece{Text: "One"}, nil)
		<-ctx.Done()
	}
}

// After the grace period an answer is interrupted, and its reader gets the end
// of the stream before the connection closes.
func TestShutDownBreaksOff(t *testing.T) {
	t.Parallel()
	store, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "chatsdk.db"))
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	log := slog.New(slog.DiscardHandler)
	service := chat.New(chat.Config{
		Store: store, Provider: stuck{}, Agents: []answering.Agent{{ID: "assistant"}}, Log: log,
	})
	server := httpapi.NewServer(httpapi.New(httpapi.Config{
		Chat: service, ProjectID: "demo", APIKey: apiKey, APISecrets: []string{apiSecret}, Log: log,
	}))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()

	p := &process{t: t, url: checked(t, "http://"+listener.Addr().String())}
	s := p.stream("Hi")
	s.untilText("One")
	app.ShutDown(server, service, time.Millisecond, log)
	require.Equal(t, wire.CodeUnavailable, s.failure())
	_, err = io.ReadAll(s.lines)
	require.NoError(t, err, "the stream ends cleanly")
	require.ErrorIs(t, <-served, http.ErrServerClosed)
	history, err := store.ChatHistory(t.Context(), access.Scope{ProjectID: "demo"}, s.start.ChatID)
	require.NoError(t, err)
	require.Equal(t, wire.FinishError, history.Messages[1].FinishReason)
}

package main_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	kills       = 10
	killStreams = 50
	killWords   = 40
)

// wholeText is the model's text in the tests with kills.
func wholeText() (text string) {
	for i := range killWords {
		text += fmt.Sprint("word", i, " ")
	}
	return text
}

// talker is a model that says wholeText to everything, and counts how often it
// was asked.
func talker(t *testing.T) (*model, *atomic.Int64) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		c := &call{steps: make(chan func(http.ResponseWriter)), gone: r.Context().Done()}
		go func() {
			for i := range killWords {
				c.say(fmt.Sprint("word", i, " "))
			}
			c.finish()
		}()
		c.answer(w)
	}))
	t.Cleanup(server.Close)
	return &model{Server: server}, &asked
}

// Whenever the process is killed, each answer is then complete or marked as
// failed, and each key returns at least what its reader had seen, and the same
// each time.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	model, asked := talker(t)
	folder := t.TempDir()
	limits := env{"SENDS_PER_MINUTE": "0", "STREAMS_PER_USER": "0"}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	for round := range kills {
		p := startIn(t, folder, model.env().with(limits))
		seen := p.killAfter(round, random.Int64N(killStreams*killWords*100))
		p = startIn(t, folder, model.env().with(limits))
		for i, text := range seen {
			p.requireSettled(keyOf(round, i), text)
		}
		p.stop()
		requireIntact(t, folder)
	}
	require.LessOrEqual(t, asked.Load(), int64(kills*killStreams), "no message costs two calls")
}

func keyOf(round, i int) string { return fmt.Sprintf("%d.%d", round, i) }

// killAfter begins the streams of a round, kills the process when their readers
// have received this many bytes in total, and returns what each of them had by
// then.
func (p *process) killAfter(round int, bytes int64) []string {
	seen := make([]string, killStreams)
	var left atomic.Int64
	left.Store(bytes)
	due := make(chan struct{})
	var once sync.Once
	var readers sync.WaitGroup
	for i := range seen {
		readers.Go(func() { seen[i] = p.readUntilCut(keyOf(round, i), &left, func() { once.Do(func() { close(due) }) }) })
	}
	go func() {
		readers.Wait()
		once.Do(func() { close(due) })
	}()
	<-due
	p.kill()
	readers.Wait()
	return seen
}

// readUntilCut sends a message with a key and reads until the connection ends.
// It calls due when the readers have received enough.
func (p *process) readUntilCut(key string, left *atomic.Int64, due func()) string {
	header, body := form("Hi " + word)
	request, err := http.NewRequest(http.MethodPost, "http://"+p.address+"/v3/chat/message", strings.NewReader(body))
	if err != nil {
		p.t.Error(err)
		return ""
	}
	request.Header = http.Header{
		"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {ann},
		"Content-Type": header["Content-Type"], "Accept": {eventStream}, "Idempotency-Key": {key},
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return "" // killed before the response began
	}
	defer func() { _ = response.Body.Close() }()
	var text strings.Builder
	for part := make([]byte, 512); ; {
		n, err := response.Body.Read(part)
		text.Write(part[:n])
		if left.Add(-int64(n)) <= 0 {
			due()
		}
		if err != nil {
			return text.String()
		}
	}
}

// requireSettled requires what a key returns to begin with what was seen, and
// to be complete or marked as failed.
func (p *process) requireSettled(key, seen string) {
	p.t.Helper()
	again := p.sendKeyed(key, eventStream, "Hi "+word)
	require.Equal(p.t, http.StatusOK, again.status)
	text := string(again.body)
	require.True(p.t, strings.HasPrefix(text, seen), "seen was %q, and then %q", seen, text)
	require.True(p.t, strings.HasSuffix(text, "event: end\ndata: {}\n\n"), text)
	third := p.sendKeyed(key, eventStream, "Hi "+word)
	require.Equal(p.t, text, string(third.body))
	begun := startOf(p.t, again)
	messages := p.history(begun.ChatID).Messages
	require.Len(p.t, messages, 2)
	answer := messages[1]
	require.Equal(p.t, begun.MessageID, answer.ID)
	if strings.Contains(text, "event: error\n") {
		require.Equal(p.t, wire.FinishError, answer.FinishReason)
		require.True(p.t, strings.HasPrefix(wholeText(), answer.Content))
		return
	}
	require.Equal(p.t, []string{wholeText(), wire.FinishStop}, []string{answer.Content, answer.FinishReason})
}

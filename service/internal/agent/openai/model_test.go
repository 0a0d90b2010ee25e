package openai_test

import (
	"bytes"
	"context"
	"io"
	"iter"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// model is a scripted provider that speaks the protocol over a socket. Call n
// is answered by step n, and by the last step when there are no more.
type model struct {
	*httptest.Server
	steps []step

	mu    sync.Mutex
	calls []asked
}

// step answers one call.
type step func(w http.ResponseWriter, r *http.Request)

// asked is a call in the form that the model got.
type asked struct {
	method, path string
	header       http.Header
	body         string
}

func newModel(t *testing.T, steps ...step) *model {
	t.Helper()
	m := &model{steps: steps}
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// newTLSModel is newModel over HTTP/2, with its own certificate.
func newTLSModel(t *testing.T, steps ...step) *model {
	t.Helper()
	m := &model{steps: steps}
	m.Server = httptest.NewUnstartedServer(m)
	m.Config.ErrorLog = quiet()
	m.EnableHTTP2 = true
	m.StartTLS()
	t.Cleanup(m.Close)
	return m
}

// quiet is for servers whose callers misbehave on purpose.
func quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.calls = append(m.calls, asked{r.Method, r.URL.Path, r.Header.Clone(), string(body)})
	next := m.steps[min(len(m.calls), len(m.steps))-1]
	m.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body)) // for a step that looks at it
	next(w, r)
}

// asked returns the calls so far.
func (m *model) asked() []asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]asked(nil), m.calls...)
}

// provider returns a Provider for the model, without pauses between its retries; adjust may change
// its configuration.
func (m *model) provider(t *testing.T, adjust ...func(*openai.Config)) *openai.Provider {
	t.Helper()
	config := openai.Config{
		BaseURL: m.URL + "/v1",
		APIKey:  "sk-test",
		Pause:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, change := range adjust {
		change(&config)
	}
	p, err := openai.New(config)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// ending is how a response ends.
type ending string

const (
	closed  ending = "politely closed" // as a complete response
	dropped ending = "dropped"         // the connection ends inside the response
	reset   ending = "reset"           // as dropped, with a TCP reset
)

// streams sends text as an event stream, flushed once, and then ends it.
func streams(text string, end ending) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		finish(w, end)
	}
}

// says is the answer that sends these events and [DONE].
func says(events ...string) step {
	return streams(strings.Join(events, "")+done, closed)
}

// finish ends the response of w.
func finish(w http.ResponseWriter, end ending) {
	switch end {
	case dropped:
		panic(http.ErrAbortHandler)
	case reset:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

// refuses answers with a status, and headers given as name, value.
func refuses(status int, body string, header ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// raw answers with bytes that need not be HTTP.
func raw(text string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

const done = "data: [DONE]\n\n"

// choice is an event whose first choice has these members.
func choice(members string) string {
	return `data: {"id":"chatcmpl-7","object":"chat.completion.chunk","created":1780000000,` +
		`"model":"test-1","system_fingerprint":"fp_1","choices":[{"index":0,` + members + "}]}\n\n"
}

// piece is an event with text, a JSON string.
func piece(literal string) string {
	return choice(`"delta":{"content":` + literal + `},"logprobs":null,"finish_reason":null`)
}

// ends is an event with a finish reason.
func ends(reason string) string {
	return choice(`"delta":{},"logprobs":null,"finish_reason":"` + reason + `"`)
}

// first is the event at the beginning of streams.
func first() string {
	return choice(`"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null`)
}

// question is a prompt with one message.
func question(text string) answering.Prompt {
	return answering.Prompt{Model: "test-1", Messages: []answering.PromptMessage{{ID: "m1", Role: wire.RoleUser, Text: text}}}
}

// answer is everything that a sequence yielded.
type answer struct {
	pieces []string
	calls  []toolcall.ModelCall
	finish string
	last   answering.Piece
	err    error
}

func (a answer) text() string { return strings.Join(a.pieces, "") }

// read reads a sequence to its end and checks the rules of every sequence: the finish reason or an
// error comes last, and never both.
func read(t *testing.T, sequence iter.Seq2[answering.Piece, error]) answer {
	t.Helper()
	var a answer
	for piece, err := range sequence {
		require.Empty(t, a.finish, "a piece after the finish reason")
		require.NoError(t, a.err, "a piece after an error")
		a.finish, a.last, a.err = piece.FinishReason, piece, err
		if piece.Text != "" {
			require.Empty(t, a.calls, "text after a call")
			a.pieces = append(a.pieces, piece.Text)
		}
		if piece.Call != nil {
			a.calls = append(a.calls, *piece.Call)
		}
		require.True(t, piece.Text != "" || piece.Call != nil || piece.FinishReason != "" || err != nil, "an empty piece")
	}
	require.NotEqual(t, a.finish == "", a.err == nil, "an answer has either a finish reason or an error")
	return a
}

// ask asks m one question.
func (m *model) ask(t *testing.T) answer {
	t.Helper()
	return read(t, m.provider(t).Answer(t.Context(), question("Hello?")))
}

// requireCode requires an error for the caller with this code.
func requireCode(t *testing.T, code string, err error) *fault.Error {
	t.Helper()
	var failure *fault.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, code, failure.Code, "%v", err)
	return failure
}

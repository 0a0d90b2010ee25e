package openai_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
)

// hangs sends text, and then nothing until the caller has left, which it reports.
func hangs(text string, gone chan<- struct{}) step {
	return func(w http.ResponseWriter, r *http.Request) {
		if text != "" {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
		close(gone)
	}
}

func TestLeavingTheSequenceEndsTheCall(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(*testing.T, ...step) *model{"HTTP/1.1": newModel, "HTTP/2": newTLSModel} {
		t.Run("over "+name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{})
			m := serve(t, hangs(first()+piece(`"one"`)+piece(`"two"`), gone))
			p := m.provider(t, func(c *openai.Config) { c.Transport = m.Client().Transport })
			for piece, err := range p.Answer(t.Context(), question("Hello?")) {
				require.NoError(t, err)
				require.Equal(t, "one", piece.Text)
				break
			}
			<-gone
		})
	}
}

func TestACompleteAnswerEndsTheCall(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	p := newModel(t, hangs(piece(`"x"`)+ends("stop"), gone)).provider(t, func(c *openai.Config) { c.Linger = time.Nanosecond })
	got := read(t, p.Answer(t.Context(), question("Hello?")))
	require.NoError(t, got.err)
	<-gone
}

func TestAPanicInTheLoopEndsTheCall(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	p := newModel(t, hangs(piece(`"x"`), gone)).provider(t)
	require.Panics(t, func() {
		for range p.Answer(t.Context(), question("Hello?")) {
			panic("the caller's")
		}
	})
	<-gone
}

func TestCancellingEndsTheCallWithTheContextsError(t *testing.T) {
	t.Parallel()
	t.Run("before the response", func(t *testing.T) {
		t.Parallel()
		gone, asked := make(chan struct{}), make(chan struct{})
		hang := hangs("", gone)
		m := newModel(t, func(w http.ResponseWriter, r *http.Request) {
			close(asked)
			hang(w, r)
		})
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-asked
			cancel()
		}()
		got := read(t, m.provider(t).Answer(ctx, question("Hello?")))
		require.Equal(t, context.Canceled, got.err)
		<-gone
		require.Len(t, m.asked(), 1)
	})
	t.Run("between pieces that have arrived", func(t *testing.T) {
		t.Parallel()
		gone := make(chan struct{})
		m := newModel(t, hangs(piece(`"one"`)+piece(`"two"`)+ends("stop"), gone))
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var texts []string
		var last error
		for piece, err := range m.provider(t).Answer(ctx, question("Hello?")) {
			if last = err; err == nil {
				texts = append(texts, piece.Text)
			}
			cancel()
		}
		require.Equal(t, []string{"one"}, texts)
		require.Equal(t, context.Canceled, last)
		<-gone
	})
	t.Run("while waiting for more", func(t *testing.T) {
		t.Parallel()
		gone := make(chan struct{})
		m := newModel(t, hangs(piece(`"one"`), gone))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var last error
		for _, err := range m.provider(t).Answer(ctx, question("Hello?")) {
			if last = err; err == nil {
				go cancel(errors.New("the caller's reason"))
			}
		}
		require.Equal(t, context.Canceled, last)
		<-gone
	})
	t.Run("before the call", func(t *testing.T) {
		t.Parallel()
		m := newModel(t, says(ends("stop")))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.Equal(t, context.Canceled, read(t, m.provider(t).Answer(ctx, question("Hello?"))).err)
		require.Empty(t, m.asked())
	})
	t.Run("before a retry", func(t *testing.T) {
		t.Parallel()
		m := newModel(t, refuses(http.StatusServiceUnavailable, ""))
		ctx, cancel := context.WithCancel(t.Context())
		p := m.provider(t, func(c *openai.Config) {
			c.Pause = func(ctx context.Context, _ time.Duration) error {
				cancel()
				return ctx.Err()
			}
		})
		require.Equal(t, context.Canceled, read(t, p.Answer(ctx, question("Hello?"))).err)
		require.Len(t, m.asked(), 1)
	})
}

func TestClosingClosesIdleConnections(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	m := &model{providertest.Script(refuses(http.StatusBadRequest, "{}"))} // read to its end, so the connection stays
	m.Server = httptest.NewUnstartedServer(m)
	m.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}
	m.Start()
	t.Cleanup(m.Close)
	p := m.provider(t)
	for range 2 {
		require.Error(t, read(t, p.Answer(t.Context(), question("Hello?"))).err)
	}
	select {
	case <-ended:
		require.Fail(t, "the connection did not stay")
	default:
	}
	p.Close()
	<-ended
}

// carrier remembers the context of the last request.
type carrier struct {
	http.RoundTripper
	last context.Context
}

func (c *carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	c.last = r.Context()
	return c.RoundTripper.RoundTrip(r)
}

func TestWhateverEndsACallReleasesItsContext(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]step{"an answer": says(piece(`"x"`), ends("stop")), "a failure": refuses(http.StatusBadRequest, "")} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, next)
			c := &carrier{RoundTripper: m.Client().Transport}
			p := m.provider(t, func(config *openai.Config) { config.Transport = c })
			_ = read(t, p.Answer(t.Context(), question("Hello?")))
			require.ErrorIs(t, c.last.Err(), context.Canceled)
		})
	}
}

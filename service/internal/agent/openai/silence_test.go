package openai_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// pipes is a network in memory, so that both ends use the clock of a synctest bubble.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.accept:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case p.accept <- there:
		return here, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

const (
	timeout = 10 * time.Second
	// firstPause is before a first retry, with the random number 0.
	firstPause = 250 * time.Millisecond
)

// inMemory runs test in a bubble, with a provider whose model answers with next.
func inMemory(t *testing.T, next step, test func(t *testing.T, p *openai.Provider, start time.Time)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := &pipes{make(chan net.Conn), make(chan struct{})}
		server := &http.Server{Handler: providertest.Script(next), ErrorLog: quiet()}
		served := make(chan error, 1)
		go func() { served <- server.Serve(network) }()
		transport := &http.Transport{DialContext: network.dial}
		p, err := openai.New(openai.Config{
			BaseURL: "http://model", Timeout: timeout, Transport: transport,
			Random: func() float64 { return 0 },
		})
		require.NoError(t, err)
		test(t, p, time.Now())
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
		<-served
	})
}

// slowly waits before it sends each text, and then sends nothing.
func slowly(wait time.Duration, texts ...string) step {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, text := range texts {
			select {
			case <-time.After(wait):
			case <-r.Context().Done():
				return
			}
			_, _ = io.WriteString(w, text)
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}
}

func TestSilenceTimesOutOnTime(t *testing.T) {
	tests := []struct {
		name string
		next step
		text string
		at   time.Duration
	}{
		{"before the response, asked twice", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "", 2*timeout + firstPause},
		{"before the first byte of the body", slowly(0, ""), "", timeout},
		{"after a byte", slowly(time.Second, "d"), "", time.Second + timeout},
		{"between events", slowly(time.Second, first(), piece(`"So far"`)), "So far", 2*time.Second + timeout},
		{"inside an event", slowly(time.Second, piece(`"So far"`), piece(`"x"`)[:20]), "So far", 2*time.Second + timeout},
		{"before the finish reason", slowly(0, piece(`"So far"`)), "So far", timeout},
		{"inside the body of an error", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
			slowly(time.Second, "{")(w, r)
		}, "", timeout},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			inMemory(t, test.next, func(t *testing.T, p *openai.Provider, start time.Time) {
				got := read(t, p.Answer(t.Context(), question("Hello?")))
				failure := requireCode(t, wire.CodeProviderTimeout, got.err)
				require.ErrorContains(t, failure.Cause, "silent for 10s")
				require.Equal(t, test.text, got.text())
				require.Equal(t, test.at, time.Since(start))
			})
		})
	}
}

func TestAConnectionThatNobodyAcceptsTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		network := &pipes{make(chan net.Conn), make(chan struct{})}
		transport := &http.Transport{DialContext: network.dial}
		defer transport.CloseIdleConnections() // a dial outlives its call
		p, err := openai.New(openai.Config{BaseURL: "http://model", Timeout: timeout, Transport: transport, Random: func() float64 { return 0 }})
		require.NoError(t, err)
		start := time.Now()
		requireCode(t, wire.CodeProviderTimeout, read(t, p.Answer(t.Context(), question("Hello?"))).err)
		require.Equal(t, 2*timeout+firstPause, time.Since(start))
	})
}

func TestAnythingThatArrivesInTimeCounts(t *testing.T) {
	thought := choice(`"delta":{"reasoning_content":"hm"}`)
	tests := []struct {
		name  string
		texts []string
	}{
		{"pieces", []string{piece(`"x"`), ends("stop")}},
		{"comments", []string{": working\n\n", ": working\n\n", ": working\n\n", piece(`"x"`), ends("stop")}},
		{"reasoning", []string{thought, thought, thought, piece(`"x"`), ends("stop")}},
		{"parts of events", []string{piece(`"x"`)[:9], piece(`"x"`)[9:90], piece(`"x"`)[90:], ends("stop")}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wait := timeout - time.Millisecond
			inMemory(t, slowly(wait, test.texts...), func(t *testing.T, p *openai.Provider, start time.Time) {
				got := read(t, p.Answer(t.Context(), question("Hello?")))
				require.NoError(t, got.err)
				require.Equal(t, "x", got.text())
				require.Equal(t, time.Duration(len(test.texts))*wait+upstream.DefaultLinger, time.Since(start))
			})
		})
	}
}

func TestTheCallersOwnTimeIsNotSilence(t *testing.T) {
	inMemory(t, slowly(time.Second, piece(`"one"`), piece(`"two"`), ends("stop")), func(t *testing.T, p *openai.Provider, _ time.Time) {
		slow := func(yield func(answering.Piece, error) bool) {
			for piece, err := range p.Answer(t.Context(), question("Hello?")) {
				<-time.After(3 * timeout)
				if !yield(piece, err) {
					return
				}
			}
		}
		got := read(t, slow)
		require.NoError(t, got.err)
		require.Equal(t, "onetwo", got.text())
	})
}

func TestACallersDeadlineIsNotATimeout(t *testing.T) {
	inMemory(t, slowly(0, piece(`"x"`)), func(t *testing.T, p *openai.Provider, start time.Time) {
		ctx, cancel := context.WithTimeout(t.Context(), timeout/2)
		defer cancel()
		got := read(t, p.Answer(ctx, question("Hello?")))
		require.Equal(t, context.DeadlineExceeded, got.err)
		require.Equal(t, timeout/2, time.Since(start))
	})
}

func TestRetriesWaitOnTheClock(t *testing.T) {
	inMemory(t, refuses(http.StatusServiceUnavailable, "", "Retry-After", "2"), func(t *testing.T, p *openai.Provider, start time.Time) {
		requireCode(t, wire.CodeUnavailable, read(t, p.Answer(t.Context(), question("Hello?"))).err)
		require.Equal(t, 4*time.Second+750*time.Millisecond, time.Since(start))
	})
	inMemory(t, refuses(http.StatusServiceUnavailable, "", "Retry-After", "2"), func(t *testing.T, p *openai.Provider, start time.Time) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.Equal(t, context.DeadlineExceeded, read(t, p.Answer(ctx, question("Hello?"))).err)
		require.Equal(t, time.Second, time.Since(start))
	})
}

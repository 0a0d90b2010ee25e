package providertest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Model is a scripted provider that speaks its protocol over a socket. Call n is answered by step n, and by the last
// step when there are no more.
type Model struct {
	*httptest.Server
	steps []Step

	mu    sync.Mutex
	calls []Asked
}

// Step answers one call.
type Step func(w http.ResponseWriter, r *http.Request)

// Asked is a call in the form that the model got.
type Asked struct {
	Method, Path string
	Query        string
	Header       http.Header
	Body         string
}

// Script is a Model without a server of its own.
func Script(steps ...Step) *Model { return &Model{steps: steps} }

// NewModel starts a Model, until the test ends.
func NewModel(t testing.TB, steps ...Step) *Model {
	t.Helper()
	m := Script(steps...)
	m.Server = httptest.NewServer(m)
	t.Cleanup(m.Close)
	return m
}

// NewTLSModel is NewModel over HTTP/2, with its own certificate.
func NewTLSModel(t testing.TB, steps ...Step) *Model {
	t.Helper()
	m := Script(steps...)
	m.Server = httptest.NewUnstartedServer(m)
	m.Config.ErrorLog = Quiet()
	m.EnableHTTP2 = true
	m.StartTLS()
	t.Cleanup(m.Close)
	return m
}

// Quiet is for servers whose callers misbehave on purpose.
func Quiet() *log.Logger { return log.New(io.Discard, "", 0) }

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	m.calls = append(m.calls, Asked{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)})
	next := m.steps[min(len(m.calls), len(m.steps))-1]
	m.mu.Unlock()
	r.Body = io.NopCloser(bytes.NewReader(body)) // for a step that looks at it
	next(w, r)
}

// Asked returns the calls so far.
func (m *Model) Asked() []Asked {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Asked(nil), m.calls...)
}

// Ending is how a response ends.
type Ending string

// How a response can end.
const (
	Closed  Ending = "politely closed" // as a complete response
	Dropped Ending = "dropped"         // the connection ends inside the response
	Reset   Ending = "reset"           // as Dropped, with a TCP reset
)

// Streams sends text as an event stream, flushed once, and then ends it.
func Streams(text string, end Ending) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.WriteHeader(http.StatusOK)
		_, _ = io.WriteString(w, text)
		_ = http.NewResponseController(w).Flush()
		Finish(w, end)
	}
}

// Finish ends the response of w.
func Finish(w http.ResponseWriter, end Ending) {
	switch end {
	case Dropped:
		panic(http.ErrAbortHandler)
	case Reset:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

// Refuses answers with a status, and headers given as name, value.
func Refuses(status int, body string, header ...string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// Raw answers with bytes that need not be HTTP.
func Raw(text string) Step {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = io.WriteString(conn, text)
		_ = conn.Close()
	}
}

// transport answers each request with a response, without a socket.
type transport struct{ media, body string }

func (r *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {r.media}},
		Body: io.NopCloser(strings.NewReader(r.body)), ContentLength: int64(len(r.body)), Request: request,
	}, nil
}

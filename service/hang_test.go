package main_test

import (
	"net"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// hole forwards connections to a database. While it is open, nothing arrives any more, in either
// direction, and no connection ends.
type hole struct {
	net.Listener
	socket string
	open   atomic.Bool
}

// newHole returns the URL of a database behind a hole.
func newHole(t *testing.T, database string) (h *hole, behind string) {
	t.Helper()
	address, err := url.Parse(database)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h = &hole{Listener: listener, socket: address.Query().Get("host") + "/.s.PGSQL.5432"}
	t.Cleanup(func() { _ = listener.Close() })
	go h.accept()
	return h, "postgres://postgres@" + listener.Addr().String() + address.Path + "?sslmode=disable"
}

func (h *hole) accept() {
	for {
		client, err := h.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("unix", h.socket)
		if err != nil {
			_ = client.Close()
			continue
		}
		go h.pass(client, server)
		go h.pass(server, client)
	}
}

func (h *hole) pass(to, from net.Conn) {
	defer to.Close()
	part := make([]byte, 64<<10)
	for {
		n, err := from.Read(part)
		if err != nil {
			return
		}
		if !h.open.Load() {
			_, _ = to.Write(part[:n]) // if it has gone, reading ends too
		}
	}
}

// A signal ends the process within DRAIN and five seconds although its database hangs, whether or
// not an answer is being written.
func TestASignalWhileTheDatabaseHangs(t *testing.T) {
	t.Parallel()
	for name, isWriting := range map[string]bool{"in an answer": true, "idle": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, database := newHole(t, pgtest.New(t))
			model := newModel(t)
			p := start(t, sharing(database, model.env().with(env{"DRAIN": "1s"})))
			if isWriting {
				p.url = "http://" + p.address // the stream ends in the middle, which the checks don't accept
				_, c := p.answering(model, "Hi", "One")
				h.open.Store(true)
				c.say(" two")
			}
			h.open.Store(true)
			begun := time.Now()
			p.signal(syscall.SIGTERM)
			p.untilExit()
			require.Less(t, time.Since(begun), 6*time.Second)
		})
	}
}

// While PostgreSQL does not answer, each request ends with 503 within the time that the guide says, though there are
// many more of them than connections. Afterwards the service goes on.
func TestRequestsEndWhileTheDatabaseHangs(t *testing.T) {
	t.Parallel()
	h, database := newHole(t, pgtest.New(t))
	p := start(t, sharing(database, env{"SENDS_PER_MINUTE": "0", "CHATS_PER_MINUTE": "0", "WRITES_PER_MINUTE": "0", "STREAMS_PER_USER": "0"}))
	chatID := p.ask("Hi").ChatID
	ofChat := `{"project_id":"demo","chat_id":"` + chatID + `"`
	header, message := form("Hello", wire.FieldChatID, chatID)
	requests := []struct {
		method, path string
		header       http.Header
		body         string
		within       time.Duration
	}{
		{http.MethodGet, "/project/demo/chat", nil, "", 15 * time.Second},
		{http.MethodGet, "/project/demo/chat/" + chatID + "/all", nil, "", 15 * time.Second},
		{http.MethodPost, "/v3/project/demo/knowledgebase", asJSON(), `{}`, 15 * time.Second},
		{http.MethodGet, "/memory-approvals/pending", nil, "", 15 * time.Second},
		{http.MethodGet, "/readyz", nil, "", 15 * time.Second},
		{http.MethodPost, "/chat/create", asJSON(), `{"project_id":"demo"}`, 30 * time.Second},
		{http.MethodPost, "/chat/update/name", asJSON(), ofChat + `,"title":"Mine"}`, 30 * time.Second},
		{http.MethodDelete, "/chat/delete", asJSON(), ofChat + `}`, 30 * time.Second},
		{http.MethodPost, "/v3/chat/message", header, message, 30 * time.Second},
		{http.MethodPost, "/v3/chat/message", http.Header{"Accept": {eventStream}, "Content-Type": header["Content-Type"]}, message, 30 * time.Second},
	}
	h.open.Store(true)
	var asking sync.WaitGroup
	for _, one := range requests {
		for range 20 {
			asking.Go(func() {
				begun := time.Now()
				r := p.do(one.method, one.path, one.header, one.body)
				assert.Less(t, time.Since(begun), one.within+5*time.Second, "%s %s", one.method, one.path)
				requireError(t, r, http.StatusServiceUnavailable, wire.CodeUnavailable)
				assert.NotEmpty(t, r.header.Get("Retry-After"), "%s %s", one.method, one.path)
			})
		}
	}
	asking.Wait()
	h.open.Store(false)
	for p.do(http.MethodGet, "/readyz", nil, "").status != http.StatusOK {
		time.Sleep(10 * time.Millisecond)
	}
	require.Equal(t, http.StatusOK, p.send("Hello", wire.FieldChatID, chatID).status)
}

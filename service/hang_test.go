package main_test

import (
	"net"
	"net/url"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/postgres/pgtest"
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
				s := p.stream("Hi")
				c := <-model.calls
				c.say("One")
				s.untilText("One")
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

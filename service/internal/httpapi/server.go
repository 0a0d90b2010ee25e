package httpapi

import (
	"errors"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

const (
	headerTime  = 10 * time.Second
	idleTime    = 2 * time.Minute
	headerBytes = 64 << 10
	pingTime    = 15 * time.Second
)

// Server speaks HTTP/1.1 and HTTP/2. It also speaks HTTP/2 without TLS, for a proxy in front. Its
// timeouts never cut a stream: bodies and writes have their own deadlines. If the head of a
// request doesn't arrive in time, the connection is closed without an answer.
type Server struct {
	http.Server
	// unread is told of requests that could not be read.
	unread func(id string, status, bytes int)
}

// NewServer returns a server for a handler made by New or Demo. The caller calls Serve and
// Shutdown.
func NewServer(handler http.Handler) *Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	unread := func(string, int, int) {}
	if a, ok := handler.(*api); ok {
		unread = a.unread
	}
	return &Server{unread: unread, Server: http.Server{
		Handler:           noting(handler),
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		Protocols:         &protocols,
		HTTP2:             &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime, WriteByteTimeout: writeTime},
		ConnState:         noteState,
		ConnContext:       withConn,
	}}
}

// Serve accepts connections of a listener until the server is shut down.
func (s *Server) Serve(listener net.Listener) error {
	return s.Server.Serve(headListener{listener, s.unread})
}

type headListener struct {
	net.Listener
	unread func(id string, status, bytes int)
}

func (l headListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &headConn{Conn: conn, refused: l.unread}, nil
}

// headConn closes a connection on which a request's head doesn't arrive in time. Package net/http
// would take half of a first line for the whole line, and answer 400. But a head may also be late
// because this machine was asleep. If the connection is closed, the client retries.
type headConn struct {
	net.Conn
	// handling is true from when a head was read until its answer has ended.
	handling atomic.Bool
	// answering is true from when the handler was called until its answer has ended. refused is told of
	// requests that could not be read; see Write.
	answering atomic.Bool
	refused   func(id string, status, bytes int)
}

// noteState is called when a head was read, and when its answer has ended.
func noteState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*headConn); ok {
		c.handling.Store(state == http.StateActive)
		if state == http.StateIdle {
			c.answering.Store(false)
		}
	}
}

func (c *headConn) Read(part []byte) (int, error) {
	n, err := c.Conn.Read(part)
	if errors.Is(err, os.ErrDeadlineExceeded) && !c.handling.Load() {
		_ = c.Close()
	}
	return n, err
}

// CloseWrite lets net/http close a connection in such a way that the last answer can still be read.
func (c *headConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}

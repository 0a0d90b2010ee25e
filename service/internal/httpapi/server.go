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

// Server speaks HTTP/1.1 and HTTP/2, the latter without TLS too, for a proxy in front. No
// timeout of it cuts a stream: bodies and writes have their own. A request whose head does
// not come in time gets no answer, only the end of its connection.
type Server struct{ http.Server }

// NewServer returns a server for what New or Demo returned. The caller serves and shuts it
// down.
func NewServer(handler http.Handler) *Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(true)
	protocols.SetUnencryptedHTTP2(true)
	return &Server{http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		Protocols:         &protocols,
		HTTP2:             &http.HTTP2Config{SendPingTimeout: pingTime, PingTimeout: pingTime, WriteByteTimeout: writeTime},
		ConnState:         noteState,
	}}
}

// Serve serves connections of a listener until the server is shut down.
func (s *Server) Serve(listener net.Listener) error { return s.Server.Serve(headListener{listener}) }

type headListener struct{ net.Listener }

func (l headListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &headConn{Conn: conn}, nil
}

// headConn ends with a head that is not there in time. Package net/http takes a half of the
// first line for all of it then, and answers 400. After a sleep of this machine the client is
// not to blame, and it tries again where its connection ends.
type headConn struct {
	net.Conn
	// handling is whether the last head was read, and its answer has not ended.
	handling atomic.Bool
}

// noteState is told when a head was read, and when its answer has ended.
func noteState(conn net.Conn, state http.ConnState) {
	if c, ok := conn.(*headConn); ok {
		c.handling.Store(state == http.StateActive)
	}
}

func (c *headConn) Read(part []byte) (int, error) {
	n, err := c.Conn.Read(part)
	if errors.Is(err, os.ErrDeadlineExceeded) && !c.handling.Load() {
		_ = c.Close()
	}
	return n, err
}

// CloseWrite lets package net/http end a connection so that the last answer is read.
func (c *headConn) CloseWrite() error {
	if conn, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return conn.CloseWrite()
	}
	return nil
}

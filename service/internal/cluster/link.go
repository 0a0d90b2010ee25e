//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// Cut says what happens to connections.
type Cut int

const (
	// Whole forwards everything.
	Whole Cut = iota
	// Refused closes existing connections, and new ones at once.
	Refused
	// Hanging closes existing connections, and never answers on new ones.
	Hanging
)

// Link forwards connections to a server until it is cut. The caller calls Close.
type Link struct {
	network, address string
	listener         net.Listener
	passing          sync.WaitGroup

	mu   sync.Mutex
	cut  Cut
	open map[net.Conn]bool
}

// NewLink makes a link from a free port of 127.0.0.1 to a server. network and address are those
// of net.Dial.
func NewLink(network, address string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{network: network, address: address, listener: listener, open: map[net.Conn]bool{}}
	l.passing.Go(l.accept)
	return l, nil
}

// Port is the port on which it listens.
func (l *Link) Port() int { return l.listener.Addr().(*net.TCPAddr).Port }

// Set cuts the link or repairs it. Repairing closes the connections that hang.
func (l *Link) Set(cut Cut) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for conn := range l.open {
		_ = conn.Close() // its readers notice that it is closed
	}
	clear(l.open)
}

// Close ends the link and its connections.
func (l *Link) Close() error {
	err := l.listener.Close()
	l.Set(Refused)
	l.passing.Wait()
	return err
}

func (l *Link) accept() {
	for {
		conn, err := l.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // only this connection failed
		}
		switch cut := l.keep(conn); cut {
		case Whole:
			l.passing.Go(func() { l.pass(conn) })
		case Refused:
			_ = conn.Close() // nobody can be told
		}
	}
}

// keep remembers a connection, unless the link refuses it.
func (l *Link) keep(conn net.Conn) Cut {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut != Refused {
		l.open[conn] = true
	}
	return l.cut
}

func (l *Link) forget(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.open, conn)
}

func (l *Link) pass(conn net.Conn) {
	defer func() {
		l.forget(conn)
		_ = conn.Close() // it may be closed already
	}()
	server, err := (&net.Dialer{}).DialContext(context.Background(), l.network, l.address)
	if err != nil {
		return
	}
	var back sync.WaitGroup
	back.Go(func() {
		_, _ = io.Copy(conn, server)
		_ = conn.Close()
	})
	_, _ = io.Copy(server, conn)
	_ = server.Close()
	back.Wait()
}

//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// Cut says what becomes of connections.
type Cut int

const (
	// Whole passes everything on.
	Whole Cut = iota
	// Refused closes the connections that there are, and new ones at once.
	Refused
	// Hanging closes the connections that there are, and says nothing on new ones.
	Hanging
)

// Link passes connections on to a server, until it is cut. Close it in the end.
type Link struct {
	network, address string
	listener         net.Listener
	passing          sync.WaitGroup

	mu   sync.Mutex
	cut  Cut
	open map[net.Conn]bool
}

// NewLink makes a link on a free port of 127.0.0.1 to the server at an address of a
// network, as net.Dial has them.
func NewLink(network, address string) (*Link, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	l := &Link{network: network, address: address, listener: listener, open: map[net.Conn]bool{}}
	l.passing.Go(l.accept)
	return l, nil
}

// Port is where it listens.
func (l *Link) Port() int { return l.listener.Addr().(*net.TCPAddr).Port }

// Set cuts the link or heals it. Connections that hang are closed when it is healed.
func (l *Link) Set(cut Cut) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	for conn := range l.open {
		_ = conn.Close() // its readers notice
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
			continue // of this connection alone
		}
		switch cut := l.keep(conn); cut {
		case Whole:
			l.passing.Go(func() { l.pass(conn) })
		case Refused:
			_ = conn.Close() // there is nobody to tell
		}
	}
}

// keep notes a connection, unless the link refuses it.
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

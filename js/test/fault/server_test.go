package fault_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test/fault"
)

const request = "POST /answer HTTP/1.1\r\nHost: service\r\nX-Odd:  kept as it is \r\nContent-Length: 5\r\n\r\nhello"

// server answers each connection with the same bytes and leaves it open. What it
// was sent is in got.
type server struct {
	address  string
	response string
	got      chan string
	gone     chan struct{} // gets one for each connection that was closed
}

func newServer(t *testing.T, response string) *server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{
		address: listener.Addr().String(), response: response,
		got: make(chan string, 1000), gone: make(chan struct{}, 1000),
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			all.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		all.Wait()
	})
	return s
}

func (s *server) serve(conn net.Conn) {
	defer func() { s.gone <- struct{}{} }()
	defer func() { _ = conn.Close() }()
	text := make([]byte, len(request))
	n, _ := io.ReadFull(conn, text)
	s.got <- string(text[:n])
	_, _ = io.WriteString(conn, s.response)
	_, _ = io.Copy(io.Discard, conn)
}

// start starts a proxy with the same plan for everything.
func start(t *testing.T, s *server, plan fault.Plan) *fault.Proxy {
	t.Helper()
	p, err := fault.Start(s.address, func(*http.Request) fault.Plan { return plan })
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func dial(t *testing.T, p *fault.Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(p.URL, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = io.WriteString(conn, request)
	require.NoError(t, err)
	return conn
}

// read reads what a proxy passes, up to the end or the error that is there
// instead.
func read(t *testing.T, p *fault.Proxy) (text string, err error) {
	t.Helper()
	conn := dial(t, p)
	defer func() { _ = conn.Close() }()
	all, err := io.ReadAll(conn)
	return string(all), err
}

// body reads a response as HTTP.
func body(t *testing.T, text string) (string, error) {
	t.Helper()
	response, err := http.ReadResponse(bufio.NewReader(strings.NewReader(text)), nil)
	if err != nil {
		return "", err
	}
	all, err := io.ReadAll(response.Body)
	return string(all), err
}

package fault_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test/fault"
)

const (
	head    = "HTTP/1.1 200 OK\r\nContent-Type:  text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	chunked = head + "B\r\nid: 1\n\nid: \r\n0e;x=y\r\n2\nevent: eé\n\n\r\n0\r\n\r\n"
	events  = "id: 1\n\nid: 2\nevent: eé\n\n"
	sized   = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nhello world"
)

func TestAResponsePassesAsItIs(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, response string }{
		{"chunked", chunked},
		{"with a trailer", strings.TrimSuffix(chunked, "\r\n") + "X-Trailer: 1\r\n\r\n"},
		{"with a length", sized},
		{"empty", "HTTP/1.1 204 No Content\r\n\r\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, test.response)
			for _, plan := range []fault.Plan{{}, {Way: fault.RST, At: fault.AtByte(1000)}, {Way: fault.End, At: fault.InEvent(9, 0)}} {
				p := start(t, s, plan)
				text, err := read(t, p)
				require.NoError(t, err)
				require.Equal(t, test.response, text)
				require.Equal(t, request, <-s.got)
				require.Empty(t, p.Broken())
			}
		})
	}
}

// Exactly the bytes before the place pass, and then the connection ends as planned.
func TestCutAtEveryByte(t *testing.T) {
	t.Parallel()
	for _, response := range []string{chunked, sized} {
		s := newServer(t, response)
		for n := range len(response) + 1 {
			text, err := read(t, start(t, s, fault.Plan{Way: fault.FIN, At: fault.AtByte(n)}))
			require.NoError(t, err)
			require.Equal(t, response[:n], text)

			text, err = read(t, start(t, s, fault.Plan{Way: fault.RST, At: fault.AtByte(n)}))
			require.ErrorIs(t, err, syscall.ECONNRESET, "at byte %d", n)
			require.Equal(t, response[:n], text)
		}
	}
}

// A body that is ended at any place is well-formed, and has the data before it.
func TestEndAtEveryByte(t *testing.T) {
	t.Parallel()
	s := newServer(t, chunked)
	first, second := strings.Index(chunked, "id: 1"), strings.Index(chunked, "2\nevent")
	for n := range len(chunked) + 1 {
		text, err := read(t, start(t, s, fault.Plan{Way: fault.End, At: fault.AtByte(n)}))
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(text, head))
		got, err := body(t, text)
		require.NoError(t, err, "at byte %d", n)
		passes := min(max(n-first, 0), 11) + min(max(n-second, 0), 14)
		require.Equal(t, events[:passes], got, "at byte %d", n)
	}
}

func TestABodyWithoutChunksEndsByFIN(t *testing.T) {
	t.Parallel()
	s := newServer(t, sized)
	text, err := read(t, start(t, s, fault.Plan{Way: fault.End, At: fault.AtByte(len(sized) - 3)}))
	require.NoError(t, err)
	require.Equal(t, sized[:len(sized)-3], text)
}

func TestCutInAnEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		event, n int
		want     string
	}{
		{1, 0, ""}, {1, 1, "i"}, {1, 6, "id: 1\n"}, {2, 0, "id: 1\n\n"}, {2, 1, "id: 1\n\ni"}, {2, 4, "id: 1\n\nid: "},
		{2, 5, "id: 1\n\nid: 2"}, {2, 17, events[:24]}, {3, 0, events},
	}
	s := newServer(t, chunked)
	for _, test := range tests {
		t.Run(fmt.Sprintf("event %d byte %d", test.event, test.n), func(t *testing.T) {
			t.Parallel()
			at := fault.InEvent(test.event, test.n)
			text, err := read(t, start(t, s, fault.Plan{Way: fault.End, At: at}))
			require.NoError(t, err)
			got, err := body(t, text)
			require.NoError(t, err)
			require.Equal(t, test.want, got)

			text, err = read(t, start(t, s, fault.Plan{Way: fault.FIN, At: at}))
			require.NoError(t, err)
			got, err = body(t, text)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, test.want, got)
		})
	}
}

// The server has the request, and the client nothing.
func TestDropBeforeTheHead(t *testing.T) {
	t.Parallel()
	s := newServer(t, chunked)
	p := start(t, s, fault.Plan{Way: fault.RST})
	text, err := read(t, p)
	require.ErrorIs(t, err, syscall.ECONNRESET)
	require.Empty(t, text)
	require.Equal(t, request, <-s.got)
	require.Equal(t, map[fault.Part]int{fault.Head: 1}, p.Broken())
}

// Nothing passes after the place, until the client leaves.
func TestFreeze(t *testing.T) {
	t.Parallel()
	s := newServer(t, chunked)
	for _, leave := range []bool{false, true} {
		p := start(t, s, fault.Plan{Way: fault.Freeze, At: fault.AtByte(len(head) + 5)})
		conn := dial(t, p)
		text := make([]byte, len(head)+5)
		_, err := io.ReadFull(conn, text)
		require.NoError(t, err)
		require.Equal(t, chunked[:len(text)], string(text))
		if leave {
			require.NoError(t, conn.Close())
			<-s.gone // while the proxy is open
			continue
		}
		require.Empty(t, s.gone)
		p.Close()
		rest, _ := io.ReadAll(conn) // the end, however it came
		require.Empty(t, rest)
		<-s.gone
	}
}

func TestDelay(t *testing.T) {
	t.Parallel()
	const delay = 50 * time.Millisecond
	p := start(t, newServer(t, chunked), fault.Plan{Delay: delay})
	begun := time.Now()
	text, err := read(t, p)
	require.NoError(t, err)
	require.Equal(t, chunked, text)
	require.GreaterOrEqual(t, time.Since(begun), delay)
}

func TestLinger(t *testing.T) {
	t.Parallel()
	const linger = 50 * time.Millisecond
	s := newServer(t, chunked)
	for _, way := range fault.Cuts {
		begun := time.Now()
		conn := dial(t, start(t, s, fault.Plan{Way: way, At: fault.InEvent(2, 0), Linger: linger}))
		_, err := io.ReadFull(conn, make([]byte, len(head)+len("B\r\nid: 1\n\n")))
		require.NoError(t, err)
		_, err = io.ReadAll(conn)
		require.Equal(t, way == fault.RST, errors.Is(err, syscall.ECONNRESET))
		require.GreaterOrEqual(t, time.Since(begun), linger)
	}
}

func TestWhereAResponseWasBroken(t *testing.T) {
	t.Parallel()
	s := newServer(t, chunked)
	tests := []struct {
		name string
		at   int
		want fault.Part
	}{
		{"before the head", 0, fault.Head},
		{"the end of the head", len(head), fault.Head},
		{"the size of a chunk", len(head) + 1, fault.Framing},
		{"the first byte of the data", len(head) + 4, fault.Data},
		{"the last byte of the data", len(head) + 14, fault.Data},
		{"after the data", len(head) + 15, fault.Framing},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := start(t, s, fault.Plan{Way: fault.FIN, At: fault.AtByte(test.at)})
			_, err := read(t, p)
			require.NoError(t, err)
			require.Equal(t, map[fault.Part]int{test.want: 1}, p.Broken())
		})
	}
}

// The plan is made for each request, and names the server that answers it.
func TestAPlanForEachRequest(t *testing.T) {
	t.Parallel()
	one, other := newServer(t, chunked), newServer(t, sized)
	var asked []string
	p, err := fault.Start(one.address, func(r *http.Request) fault.Plan {
		asked = append(asked, r.Method+" "+r.URL.Path)
		if len(asked) == 1 {
			return fault.Plan{Target: other.address}
		}
		return fault.Plan{}
	})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	for _, want := range []string{sized, chunked} {
		text, err := read(t, p)
		require.NoError(t, err)
		require.Equal(t, want, text)
	}
	require.Equal(t, []string{"POST /answer", "POST /answer"}, asked)
}

// What the server does to the connection, the proxy does too.
func TestAServerThatCannotBeReached(t *testing.T) {
	t.Parallel()
	p, err := fault.Start("127.0.0.1:1", nil)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	_, err = read(t, p)
	require.ErrorIs(t, err, syscall.ECONNRESET)
}

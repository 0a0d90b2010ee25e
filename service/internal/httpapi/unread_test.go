package httpapi_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// unreadable are requests that package net/http refuses before any handler sees them.
var unreadable = []struct {
	name, text string
	status     int
}{
	{"a path with a bad escape", "GET /project/%zz/chat HTTP/1.1\r\nHost: a\r\n\r\n", 400},
	{"a path cut short", "GET /a% HTTP/1.1\r\nHost: a\r\n\r\n", 400},
	{"a control character in a header", "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\x01b\r\n\r\n", 400},
	{"NUL in a header", "GET /healthz HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", 400},
	{"a space in a header's name", "GET /healthz HTTP/1.1\r\nHost: a\r\nX y: b\r\n\r\n", 400},
	{"a header without a colon", "GET /healthz HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400},
	{"no host", "GET /healthz HTTP/1.1\r\n\r\n", 400},
	{"two hosts", "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
	{"a bad host", "GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
	{"no request line", "hello, who is there?\r\n\r\n", 400},
	{"no version", "GET /healthz\r\n\r\n", 400},
	{"a bad version", "GET /healthz HTTP/x\r\n\r\n", 400},
	{"a bad method", "G(T /healthz HTTP/1.1\r\nHost: a\r\n\r\n", 400},
	{"another version", "GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n", 505},
	{"a bad length", "POST /chat/create HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", 400},
	{"two lengths", "POST /chat/create HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
	{"another encoding", "POST /chat/create HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
	{"another expectation", "GET /healthz HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n", 417},
	{"TLS", "\x16\x03\x01\x00\x05hello\r\n\r\n", 400},
	{"a large head", "GET /healthz HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("a", 80<<10) + "\r\n\r\n", 431},
	{"many headers", "GET /healthz HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X: a\r\n", 20_000) + "\r\n", 431},
	{"a long path", "GET /" + strings.Repeat("a", 80<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", 431},
}

func TestUnreadableRequestsAreRefusedInTheShapeOfAll(t *testing.T) {
	t.Parallel()
	for _, row := range unreadable {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := start(t, nil).listen(t)
				refusedUnread(t, p, "", row.text, row.status)
				refusedUnread(t, p, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", row.text, row.status)
			})
		})
	}
}

// refusedUnread sends a request that is read first, if there is one, and then one that can't be.
func refusedUnread(t *testing.T, p *pipes, first, text string, status int) {
	t.Helper()
	conn, err := p.dial(t.Context(), "", "")
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	if first != "" {
		_, err := io.WriteString(conn, first)
		require.NoError(t, err)
		response, err := http.ReadResponse(reader, nil)
		require.NoError(t, err)
		_, err = io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, 200, response.StatusCode)
	}
	go func() { _, _ = io.WriteString(conn, text) }() // the service may answer before it has read all of it
	response, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	require.Equal(t, status, response.StatusCode)
	requireShape(t, response)
	_, err = reader.ReadByte()
	require.Error(t, err, "the connection is closed")
	require.NoError(t, conn.Close())
	time.Sleep(time.Second) // the time that the server needs to close its end
}

func requireShape(t *testing.T, response *http.Response) {
	t.Helper()
	require.Equal(t, "application/json", response.Header.Get("Content-Type"))
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	require.Regexp(t, `^req_[a-z0-9]+$`, response.Header.Get("X-Request-Id"))
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.EqualValues(t, response.ContentLength, len(text))
	var body wire.ErrorBody
	require.NoError(t, json.Unmarshal(text, &body), string(text))
	require.Equal(t, response.StatusCode, body.StatusCode)
	require.Contains(t, []string{wire.CodeValidation, wire.CodePayloadTooLarge}, body.Error.Code)
	require.Equal(t, response.StatusCode == 431, body.Error.Code == wire.CodePayloadTooLarge)
	require.NotEmpty(t, body.Error.Message)
}

// What handlers answer is not touched, and a request that could not be read is logged and counted.
func TestUnreadableRequestsAreLogged(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	s.Handler = httpapi.New(s.config)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := httpapi.NewServer(s.Handler)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	defer func() {
		require.NoError(t, server.Close())
		<-served
	}()
	response, body := raw(t, listener.Addr().String(), "GET /nowhere HTTP/1.1\r\nHost: a\r\nX-Request-Id: mine\r\n\r\n")
	require.Equal(t, "mine", response.Header.Get("X-Request-Id"))
	require.Contains(t, body, "There is nothing at this path")
	response, _ = raw(t, listener.Addr().String(), "GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n")
	require.Contains(t, s.log.String(), response.Header.Get("X-Request-Id"))
	require.NotContains(t, s.log.String(), "%")
	require.Contains(t, s.do("GET", "/metrics", asServer(), "").Body.String(), `method="other",route="",status="400"`)
}

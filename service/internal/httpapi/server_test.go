package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// serveTCP serves on a real socket until the test ends, and returns its address.
func (s *service) serveTCP(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := httpapi.NewServer(s)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-served, http.ErrServerClosed)
	})
	return listener.Addr().String()
}

// raw sends text on its own connection and reads the answer.
func raw(t *testing.T, address, text string) (*http.Response, string) {
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, text)
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

func TestServerSpeaksBothVersions(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	address := s.serveTCP(t)
	for _, http2 := range []bool{false, true} {
		var protocols http.Protocols
		protocols.SetHTTP1(!http2)
		protocols.SetUnencryptedHTTP2(http2)
		transport := &http.Transport{Protocols: &protocols}
		t.Cleanup(transport.CloseIdleConnections)
		r := request(t.Context(), t)
		r.URL.Host = address
		response, err := (&http.Client{Transport: transport}).Do(r)
		require.NoError(t, err)
		require.Equal(t, http2, response.ProtoMajor == 2)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(string(text), "event: end\ndata: {}\n\n"))
	}
}

func TestServerLimitsHeaders(t *testing.T) {
	t.Parallel()
	address := start(t, nil).serveTCP(t)
	response, _ := raw(t, address, "GET /healthz HTTP/1.1\r\nHost: service\r\nX-Filler: "+strings.Repeat("a", 60<<10)+"\r\n\r\n")
	require.Equal(t, 200, response.StatusCode)
	response, _ = raw(t, address, "GET /healthz HTTP/1.1\r\nHost: service\r\nX-Filler: "+strings.Repeat("a", 80<<10)+"\r\n\r\n")
	require.Equal(t, 431, response.StatusCode)
}

// A client that is refused gets the answer, however much it was about to send.
func TestRefusedClientsGetTheirAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	address := s.serveTCP(t)
	photo := strings.Repeat("a", 8<<20)
	images := form(t, field{name: "message", value: "Hi"}, field{name: "images", value: photo, file: "a.png"})
	tests := []struct {
		name, path, contentType, body string
		as                            headers
		status                        int
	}{
		{"images", "/v3/chat/message", images.contentType, images.text, as("ann"), 400},
		{"no credentials", "/v3/chat/message", images.contentType, images.text, headers{}, 401},
		{"JSON too large", "/chat/create", "application/json", `{"project_id":"` + photo + `"}`, as("ann"), 413},
		{"another type", "/chat/create", "image/png", photo, as("ann"), 415},
		{"unknown path", "/nothing", "image/png", photo, as("ann"), 404},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var head strings.Builder
			for name, value := range test.as.with("content-type", test.contentType) {
				fmt.Fprintf(&head, "%s: %s\r\n", name, value)
			}
			// Sends all of it before it reads, as browsers do.
			response, body := raw(t, address, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: service\r\nContent-Length: %d\r\n%s\r\n%s", test.path, len(test.body), head.String(), test.body))
			require.Equal(t, test.status, response.StatusCode, body)
		})
	}
}

// A client that asks before it sends its body is refused without having to send it.
func TestClientsThatAskFirstSendNothing(t *testing.T) {
	t.Parallel()
	address := start(t, nil).serveTCP(t)
	const head = "POST /chat/create HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n"
	response, _ := raw(t, address, fmt.Sprintf(head, 1000)+"\r\n")
	require.Equal(t, 401, response.StatusCode)

	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer conn.Close()
	const body = `{"project_id":"demo"}`
	_, err = fmt.Fprintf(conn, head+"X-Api-Key: %s\r\nX-Api-Secret: %s\r\n\r\n", len(body), key, secret)
	require.NoError(t, err)
	reader := bufio.NewReader(conn)
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "HTTP/1.1 100 Continue\r\n", line)
	_, err = io.WriteString(conn, body)
	require.NoError(t, err)
	_, err = reader.ReadString('\n') // the end of the interim answer
	require.NoError(t, err)
	response, err = http.ReadResponse(reader, nil)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
}

// A body that is announced and never arrives doesn't hold its request for ever, whether the
// route reads it or not.
func TestBodiesThatNeverCome(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, head string
		status     int
		took       time.Duration
	}{
		{"to a route that takes none", "GET /healthz HTTP/1.1\r\n", 200, 10 * time.Second},
		{"to a route that refuses", "POST /chat/create HTTP/1.1\r\n", 401, 10 * time.Second},
		{
			"to a route that reads",
			"POST /chat/create HTTP/1.1\r\nContent-Type: application/json\r\nX-Api-Key: key\r\nX-Api-Secret: " + secret + "\r\n", 400, 40 * time.Second,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				conn, err := start(t, nil).listen(t).dial(t.Context(), "", "")
				require.NoError(t, err)
				begun := time.Now()
				_, err = io.WriteString(conn, test.head+"Host: service\r\nContent-Length: 100\r\n\r\n")
				require.NoError(t, err)
				reader := bufio.NewReader(conn)
				response, err := http.ReadResponse(reader, nil)
				require.NoError(t, err)
				_, err = io.ReadAll(response.Body)
				require.NoError(t, err)
				require.Equal(t, test.status, response.StatusCode)
				require.Equal(t, test.took, time.Since(begun))
				_, err = reader.ReadByte()
				require.ErrorIs(t, err, io.EOF, "the connection is closed")
				require.NoError(t, conn.Close())
			})
		})
	}
}

// A head that does not arrive in time gets no answer: its sender can't know that it was cut, and
// would not retry after "400 Bad Request".
func TestLateHeads(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"", "GET /healthz HTTP/1.1\r\nHost: service\r\n\r\n"} {
		for _, head := range []string{"G", "GET /healthz H", "GET /healthz HTTP/1.1\r\nHo"} { // the second is as long as "PRI * HTTP/2.0"
			synctest.Test(t, func(t *testing.T) {
				conn, err := start(t, nil).listen(t).dial(t.Context(), "", "")
				require.NoError(t, err)
				reader := bufio.NewReader(conn)
				if first != "" {
					_, err = io.WriteString(conn, first)
					require.NoError(t, err)
					response, err := http.ReadResponse(reader, nil)
					require.NoError(t, err)
					_, err = io.ReadAll(response.Body)
					require.NoError(t, err)
				}
				_, err = io.WriteString(conn, head)
				require.NoError(t, err)
				answer, err := io.ReadAll(reader)
				require.NoError(t, err)
				require.Empty(t, string(answer), "after %q, to %q", first, head)
				require.NoError(t, conn.Close())
			})
		}
	}
}

// Deadlines that one request leaves behind don't affect the next one on its connection.
func TestConnectionsAreUsedAgain(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) { up.provider = slow(1, 90*time.Second) })
				p := s.listen(t)
				dials := 0
				client := p.client(t, http2)
				transport := client.Transport.(*http.Transport)
				dial := transport.DialContext
				transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					dials++
					return dial(ctx, network, address)
				}
				transport.ExpectContinueTimeout = 5 * time.Second
				for range 3 {
					r := request(t.Context(), t)
					r.Header.Set("Expect", "100-continue")
					response, err := client.Do(r)
					require.NoError(t, err)
					text, err := io.ReadAll(response.Body)
					require.NoError(t, err)
					require.Contains(t, string(text), "event: complete")
					time.Sleep(100 * time.Second)
				}
				require.Equal(t, 1, dials)
			})
		})
	}
}

package tool_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

const secret = "0123456789abcdef0123456789abcdef"

var at = time.Unix(1_790_000_000, 0)

func quiet() *slog.Logger { return slog.New(slog.DiscardHandler) }

// newHTTP makes a tool that POSTs to an address.
func newHTTP(t testing.TB, address string, timeout time.Duration) *tool.Tool {
	t.Helper()
	carrier, err := tool.NewHTTP(address, secret, func() time.Time { return at }, quiet())
	require.NoError(t, err)
	d := define(wire.ToolHTTP, `{"type":"object"}`)
	d.Address, d.Timeout = address, timeout
	made, err := tool.New(d, carrier)
	require.NoError(t, err)
	return made
}

var aCall = tool.Call{ID: "call_1", UserID: "ana ü/+%\n", ChatID: "chat_1", Arguments: `{ "order": "AB-1", "amount": 12.50 }`}

// endpoint serves a tool, and counts the requests that reach it.
func endpoint(t testing.TB, serve http.HandlerFunc) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	calls := new(atomic.Int64)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		serve(w, r)
	}))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	t.Cleanup(server.Close)
	return server, calls
}

// received is a request as it was on the connection.
type received struct {
	line   string
	header map[string]string
	body   string
}

// receive reads one request without net/http.
func receive(t testing.TB, conn net.Conn) received {
	t.Helper()
	reader := bufio.NewReader(conn)
	r := received{header: map[string]string{}}
	line, err := reader.ReadString('\n')
	require.NoError(t, err)
	r.line = strings.TrimSpace(line)
	length := 0
	for {
		line, err := reader.ReadString('\n')
		require.NoError(t, err)
		name, value, isHeader := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !isHeader {
			break
		}
		r.header[strings.ToLower(name)] = strings.TrimSpace(value)
		_, _ = fmt.Sscanf(strings.ToLower(line), "content-length: %d", &length)
	}
	body := make([]byte, length)
	_, err = io.ReadFull(reader, body)
	require.NoError(t, err)
	r.body = string(body)
	return r
}

// The signature covers what is on the connection: this test reads and computes it separately.
func TestACallIsSigned(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = listener.Close() }()
	got := make(chan received, 1)
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		got <- receive(t, conn)
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ndone")
	}()
	out := newHTTP(t, "http://"+listener.Addr().String()+"/refund%2Fnow/?a=1&b=%20", time.Minute).Carry(t.Context(), aCall)
	require.Equal(t, tool.Outcome{Status: wire.CallDone, Result: "done"}, out)
	r := <-got
	require.Equal(t, "POST /refund%2Fnow/?a=1&b=%20 HTTP/1.1", r.line)
	require.Equal(t, aCall.Arguments, r.body, "as they were approved, to the byte")
	require.Equal(t, "application/json", r.header["content-type"])
	require.Equal(t, "call_1", r.header["idempotency-key"])
	require.Equal(t, "ana%20%C3%BC%2F%2B%25%0A", r.header["x-chatsdk-user"])
	require.Equal(t, "chat_1", r.header["x-chatsdk-chat"])
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "1790000000\nPOST\n/refund%%2Fnow/?a=1&b=%%20\ncall_1\nana%%20%%C3%%BC%%2F%%2B%%25%%0A\nchat_1\n%s", aCall.Arguments)
	require.Equal(t, "t=1790000000,v1="+hex.EncodeToString(mac.Sum(nil)), r.header["x-chatsdk-signature"])
}

func TestReceiversVerifyCalls(t *testing.T) {
	t.Parallel()
	sound := func(t *testing.T, change func(r *http.Request, body *[]byte, secret *string, now *time.Time)) error {
		t.Helper()
		var told error
		server, _ := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			key, now := secret, at
			change(r, &body, &key, &now)
			told = tool.Verify(r, body, key, now)
		})
		require.Equal(t, wire.CallDone, newHTTP(t, server.URL+"/a?b=c", time.Minute).Carry(t.Context(), aCall).Status)
		return told
	}
	for _, test := range []struct {
		name   string
		change func(r *http.Request, body *[]byte, secret *string, now *time.Time)
		want   string
	}{
		{"as it came", func(*http.Request, *[]byte, *string, *time.Time) {}, ""},
		{"five minutes later", func(_ *http.Request, _ *[]byte, _ *string, now *time.Time) { *now = now.Add(5 * time.Minute) }, ""},
		{"older", func(_ *http.Request, _ *[]byte, _ *string, now *time.Time) {
			*now = now.Add(5*time.Minute + time.Second)
		}, "more than five minutes off"},
		{"from the future", func(_ *http.Request, _ *[]byte, _ *string, now *time.Time) { *now = now.Add(-time.Hour) }, "more than five minutes off"},
		{"another secret", func(_ *http.Request, _ *[]byte, key *string, _ *time.Time) { *key += "x" }, "wrong"},
		{"another body", func(_ *http.Request, body *[]byte, _ *string, _ *time.Time) { *body = append(*body, ' ') }, "wrong"},
		{"another path", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.RequestURI = "/a?b=d" }, "wrong"},
		{"another method", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.Method = "PUT" }, "wrong"},
		{"another call", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.Header.Set("Idempotency-Key", "call_2") }, "wrong"},
		{"another user", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.Header.Set("x-chatsdk-user", "bob") }, "wrong"},
		{"another chat", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.Header.Set("x-chatsdk-chat", "chat_2") }, "wrong"},
		{"no signature", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) { r.Header.Del("x-chatsdk-signature") }, "missing"},
		{"half a signature", func(r *http.Request, _ *[]byte, _ *string, _ *time.Time) {
			r.Header.Set("x-chatsdk-signature", "t=1790000000")
		}, "missing"},
		{"no user", func(*http.Request, *[]byte, *string, *time.Time) {}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			err := sound(t, test.change)
			if test.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestAnswersOfATool(t *testing.T) {
	t.Parallel()
	says := func(status int, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text)
		}
	}
	breaks := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, text)
			_ = conn.Close()
		}
	}
	const unknown = "the connection broke before the answer was complete; the tool may have done what was asked"
	for _, test := range []struct {
		name  string
		serve http.HandlerFunc
		want  tool.Outcome
	}{
		{"a text", says(200, "päid 😀"), tool.Outcome{Status: wire.CallDone, Result: "päid 😀"}},
		{"another status of success", says(201, "{}"), tool.Outcome{Status: wire.CallDone, Result: "{}"}},
		{"nothing", says(204, ""), tool.Outcome{Status: wire.CallDone}},
		{"not text", says(200, "a\xff\xfeb\x00"), tool.Outcome{Status: wire.CallDone, Result: "a\uFFFD\uFFFDb\x00"}},
		{"a refusal", says(422, "no such order"), tool.Outcome{Status: wire.CallFailed, Error: "the tool answered with status 422: no such order"}},
		{"a refusal without a reason", says(500, ""), tool.Outcome{Status: wire.CallFailed, Error: "the tool answered with status 500"}},
		{"a redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
			tool.Outcome{Status: wire.CallFailed, Error: "the tool answered with status 307, and redirects are not followed"}},
		{"cut off before the status", breaks(""), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"cut off in the headers", breaks("HTTP/1.1 200 OK\r\nContent-Le"), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"cut off in the body", breaks("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npaid"), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"cut off in a chunk", breaks("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\npa"), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"a refusal that breaks off", breaks("HTTP/1.1 422 No\r\nContent-Length: 100\r\n\r\nno"), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"not HTTP", breaks("SSH-2.0-OpenSSH\r\n"), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
		{"endless headers", breaks("HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", 1<<20)), tool.Outcome{Status: wire.CallUnknown, Error: unknown}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, calls := endpoint(t, test.serve)
			require.Equal(t, test.want, newHTTP(t, server.URL, time.Minute).Carry(t.Context(), aCall))
			require.Equal(t, int64(1), calls.Load(), "it is sent once")
		})
	}
}

// endless writes until nobody reads any more.
func endless(w http.ResponseWriter, text string) (written int) {
	for {
		n, err := io.WriteString(w, text)
		if written += n; err != nil || written > 100<<20 {
			return written
		}
	}
}

func TestEndlessAnswersAreCut(t *testing.T) {
	t.Parallel()
	written := make(chan int, 1)
	server, _ := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { written <- endless(w, "a😀") })
	out := newHTTP(t, server.URL, time.Minute).Carry(t.Context(), aCall)
	require.Equal(t, wire.CallDone, out.Status)
	require.True(t, out.Truncated)
	require.True(t, utf8.ValidString(out.Result))
	require.Equal(t, strings.Repeat("a😀", 256<<10/5)+"a", out.Result, "the last code point did not fit")
	require.Less(t, <-written, 50<<20, "the rest was not read")

	server, _ = endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusInternalServerError)
		written <- endless(w, "é")
	})
	out = newHTTP(t, server.URL, time.Minute).Carry(t.Context(), aCall)
	require.Equal(t, wire.CallFailed, out.Status)
	require.Empty(t, out.Result)
	require.Equal(t, 1000, utf8.RuneCountInString(out.Error))
	require.Less(t, <-written, 50<<20)
}

func TestMissingAnswersTimeOut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		serve func(w http.ResponseWriter, r *http.Request)
	}{
		{"it hangs", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }},
		{"it hangs after the status", func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}},
		{"it trickles", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, "x")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(time.Millisecond)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server, calls := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice that the client left
				test.serve(w, r)
			})
			out := newHTTP(t, server.URL, 200*time.Millisecond).Carry(t.Context(), aCall)
			require.Equal(t, tool.Outcome{Status: wire.CallUnknown, Error: "the tool gave no complete answer in time; it may have done what was asked"}, out)
			require.Equal(t, int64(1), calls.Load())
		})
	}
}

func TestACancelledCallMayHaveBeenCarriedOut(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	server, _ := endpoint(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	require.Equal(t, wire.CallUnknown, newHTTP(t, server.URL, time.Minute).Carry(ctx, aCall).Status)
}

func TestACallThatWasNotSentHasFailed(t *testing.T) {
	t.Parallel()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	plain, calls := endpoint(t, func(http.ResponseWriter, *http.Request) {})
	for _, test := range []struct{ name, address string }{
		{"nobody listens", "http://" + closed.Addr().String()},
		{"no such host", "http://tools.invalid/"},
		{"no TLS there", strings.Replace(plain.URL, "http:", "https:", 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			out := newHTTP(t, test.address, time.Minute).Carry(t.Context(), aCall)
			require.Equal(t, tool.Outcome{Status: wire.CallFailed, Error: "the tool could not be reached; nothing was sent"}, out)
			require.Zero(t, calls.Load())
		})
	}
}

// net/http resends a request that has an Idempotency-Key if a reused connection breaks.
func TestACallIsNotSentAgainOverAnOldConnection(t *testing.T) {
	t.Parallel()
	server, calls := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if body, _ := io.ReadAll(r.Body); bytes.Contains(body, []byte("second")) {
			conn, _, _ := w.(http.Hijacker).Hijack()
			_ = conn.Close()
		}
	})
	used := newHTTP(t, server.URL, time.Minute)
	require.Equal(t, wire.CallDone, used.Carry(t.Context(), aCall).Status)
	second := aCall
	second.Arguments = `{"second":true}`
	require.Equal(t, wire.CallUnknown, used.Carry(t.Context(), second).Status)
	require.Equal(t, int64(2), calls.Load())
}

func TestAddressesOfTools(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "tools.example.com", "ftp://tools.example.com", "http://", "https://a/#b", "https://user:word@tools.example.com/"} {
		_, err := tool.NewHTTP(address, secret, time.Now, quiet())
		require.ErrorContains(t, err, "url ", address)
		require.NotContains(t, err.Error(), "word@")
	}
	_, err := tool.NewHTTP("https://tools.example.com/a?b", "", time.Now, quiet())
	require.ErrorContains(t, err, "secret is empty")
}

type panics struct{}

func (panics) Carry(context.Context, tool.Call) tool.Outcome { panic("oh") }

type odd struct{}

func (odd) Carry(context.Context, tool.Call) tool.Outcome { return tool.Outcome{Status: "fine"} }

func TestACarrierAlwaysHasAnOutcome(t *testing.T) {
	t.Parallel()
	for _, carrier := range []tool.Carrier{panics{}, odd{}} {
		made, err := tool.New(define(wire.ToolHTTP, `{"type":"object"}`), carrier)
		require.NoError(t, err)
		require.Equal(t, wire.CallUnknown, made.Carry(t.Context(), aCall).Status)
	}
	made, err := tool.New(define(wire.ToolPage, `{"type":"object"}`), nil)
	require.NoError(t, err)
	require.Equal(t, wire.CallFailed, made.Carry(t.Context(), aCall).Status)
}

package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// request makes a send for a stream.
func request(ctx context.Context, t *testing.T) *http.Request {
	sent := form(t, field{name: "message", value: "Hi"}, field{name: "project_id", value: project})
	r, err := http.NewRequestWithContext(ctx, "POST", "http://service/v3/chat/message", strings.NewReader(sent.text))
	require.NoError(t, err)
	for name, value := range as("ann").with("accept", "text/event-stream").with("content-type", sent.contentType) {
		r.Header.Set(name, value)
	}
	return r
}

// slow is a model that says a word after each pause.
func slow(words int, pause time.Duration) script {
	return func(ctx context.Context, _ answering.Prompt) iter.Seq2[answering.Piece, error] {
		return func(yield func(answering.Piece, error) bool) {
			for i := range words {
				select {
				case <-time.After(pause):
				case <-ctx.Done():
					yield(answering.Piece{}, ctx.Err())
					return
				}
				if !yield(answering.Piece{Text: fmt.Sprintf("word%d ", i)}, nil) {
					return
				}
			}
			yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
		}
	}
}

func TestHeartbeats(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) { up.provider = slow(2, 25*time.Second) })
		response, err := s.listen(t).client(t, false).Do(request(t.Context(), t))
		require.NoError(t, err)
		begun := time.Now()
		var silences []time.Duration
		last := begun
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if lines.Text() != "" && time.Since(last) > 0 {
				silences = append(silences, time.Since(last))
				last = time.Now()
			}
		}
		require.NoError(t, response.Body.Close())
		require.Equal(t, []time.Duration{10e9, 10e9, 5e9, 10e9, 10e9, 5e9}, silences)
	})
}

// No timeout of the service cuts a stream, however long it takes.
func TestLongStreamsAreNotCut(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) { up.provider = slow(60, time.Minute) })
				response, err := s.listen(t).client(t, http2).Do(request(t.Context(), t))
				require.NoError(t, err)
				require.Equal(t, http2, response.ProtoMajor == 2)
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.Contains(t, string(text), "word59 ")
				require.True(t, strings.HasSuffix(string(text), "event: end\ndata: {}\n\n"))
			})
		})
	}
}

// The whole answer may take longer than any write may.
func TestLongJSONAnswersAreNotCut(t *testing.T) {
	t.Parallel()
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %t", http2), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) { up.provider = slow(1, 5*time.Minute) })
				r := request(t.Context(), t)
				r.Header.Del("Accept")
				client := s.listen(t).client(t, http2)
				for range 2 { // on one connection
					response, err := client.Do(r)
					require.NoError(t, err)
					text, err := io.ReadAll(response.Body)
					require.NoError(t, err)
					require.Contains(t, string(text), "word0 ")
					r = request(t.Context(), t)
				}
			})
		})
	}
}

// If a client leaves, only its reading ends: the answer is finished and kept.
func TestLeavingEndsOnlyTheReading(t *testing.T) {
	t.Parallel()
	for _, accept := range []string{"text/event-stream", "application/json"} {
		t.Run(accept, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, func(up *setup) { up.provider = slow(3, time.Second) })
				ctx, leave := context.WithTimeout(t.Context(), 1500*time.Millisecond)
				defer leave()
				r := request(ctx, t)
				r.Header.Set("Accept", accept)
				response, err := s.listen(t).client(t, false).Do(r)
				if err == nil {
					_, err = io.ReadAll(response.Body)
				}
				require.ErrorIs(t, err, context.DeadlineExceeded)
				synctest.Wait()
				require.Equal(t, 1, s.chat.Running(), "the answer goes on")
				lines := s.log.lines("request")
				require.Len(t, lines, 2, "and the request is over, like that for openapi.yaml")
				require.EqualValues(t, map[string]int{"text/event-stream": 200, "application/json": 499}[accept], lines[1]["status"])
				require.NotContains(t, s.log.String(), "ERROR")
				time.Sleep(2 * time.Second)
				synctest.Wait()
				require.Zero(t, s.chat.Running())
				require.Contains(t, s.everything(), `"word0 word1 word2 "`)
			})
		})
	}
}

// A reader that stops taking bytes keeps its request open no longer than one write may take.
func TestDeadReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) { up.provider = slow(100, time.Second) })
		conn, err := s.listen(t).dial(t.Context(), "", "")
		require.NoError(t, err)
		require.NoError(t, request(t.Context(), t).Write(conn))
		time.Sleep(29 * time.Second)
		synctest.Wait()
		require.Empty(t, s.log.lines("request")[1:])
		time.Sleep(time.Second)
		synctest.Wait()
		require.Len(t, s.log.lines("request"), 2)
		require.Equal(t, 1, s.chat.Running(), "the answer goes on")
		require.NoError(t, conn.Close())
	})
}

// The same holds for readers of a stream that has ended. Other readers are not affected.
func TestDeadReadersOfAKeptStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) { up.provider = slow(2000, time.Microsecond) })
		whole, begun := s.streamed(as("ann"))
		service := s.listen(t)
		resume, err := http.NewRequestWithContext(t.Context(), "GET", "http://service/v3/chat/stream/"+begun.StreamID, nil)
		require.NoError(t, err)
		for name, value := range as("ann") {
			resume.Header.Set(name, value)
		}
		var dead []net.Conn
		for range 5 {
			conn, err := service.dial(t.Context(), "", "")
			require.NoError(t, err)
			require.NoError(t, resume.Write(conn))
			dead = append(dead, conn)
		}
		synctest.Wait()
		before := len(s.log.lines("request"))
		response, err := service.client(t, false).Do(resume)
		require.NoError(t, err)
		text, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, whole, string(text))
		time.Sleep(30 * time.Second)
		synctest.Wait()
		require.Len(t, s.log.lines("request"), before+6, "all are over")
		for _, conn := range dead {
			require.NoError(t, conn.Close())
		}
	})
}

// A body that arrives byte by byte is cut off, and changes nothing.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	for _, target := range []struct{ path, contentType, begin string }{
		{"/chat/create", "application/json", `{"project_id":"demo","name":"`},
		{"/v3/chat/message", "multipart/form-data; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"message\"\r\n\r\n"},
	} {
		t.Run(target.path, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := start(t, nil)
				conn, err := s.listen(t).dial(t.Context(), "", "")
				require.NoError(t, err)
				sending := make(chan struct{})
				defer func() { <-sending }()
				defer conn.Close()
				begun := time.Now()
				go func() {
					defer close(sending)
					_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: service\r\nX-Api-Key: %s\r\nX-Api-Secret: %s\r\nContent-Type: %s\r\nContent-Length: 5000\r\n\r\n%s",
						target.path, key, secret, target.contentType, target.begin)
					for err == nil {
						time.Sleep(3 * time.Second)
						_, err = conn.Write([]byte("a"))
					}
				}()
				response, err := http.ReadResponse(bufio.NewReader(conn), nil)
				require.NoError(t, err)
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err)
				require.Equal(t, 400, response.StatusCode)
				require.Contains(t, string(text), "The body arrived too slowly")
				require.Equal(t, 40*time.Second, time.Since(begun), "30 s, and the time that a refused client is granted")
				require.Zero(t, s.count(t))
			})
		})
	}
}

// A large body that arrives at a fair pace has enough time.
func TestBodiesThatTakeTheirTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) { up.http.Limits.JSONBytes = 0 })
		body := io.MultiReader(strings.NewReader(`{"project_id":"demo","x":"`), &pacer{pieces: 100, size: 32 << 10, pause: time.Second}, strings.NewReader(`"}`))
		r, err := http.NewRequest("POST", "http://service/chat/create", body)
		require.NoError(t, err)
		for name, value := range as("ann").json() {
			r.Header.Set(name, value)
		}
		response, err := s.listen(t).client(t, false).Do(r)
		require.NoError(t, err)
		defer response.Body.Close()
		require.Equal(t, 200, response.StatusCode)
	})
}

// pacer returns a piece after each pause.
type pacer struct {
	pieces, size int
	pause        time.Duration
}

func (p *pacer) Read(part []byte) (int, error) {
	if p.pieces == 0 {
		return 0, io.EOF
	}
	time.Sleep(p.pause)
	p.pieces--
	return copy(part, strings.Repeat("a", min(p.size, len(part)))), nil
}

// Headers that arrive byte by byte end the connection.
func TestSlowHeaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, nil)
		conn, err := s.listen(t).dial(t.Context(), "", "")
		require.NoError(t, err)
		defer conn.Close()
		begun := time.Now()
		go func() { _, _ = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: service\r\n") }()
		_, err = io.ReadAll(conn)
		require.NoError(t, err)
		require.Equal(t, 10*time.Second, time.Since(begun))
	})
}

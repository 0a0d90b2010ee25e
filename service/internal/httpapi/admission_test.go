package httpapi_test

import (
	"fmt"
	"io"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

// unwanted is a body that fails the test if it is read.
type unwanted struct{ t *testing.T }

func (u unwanted) Read([]byte) (int, error) {
	u.t.Error("the body was read")
	return 0, io.EOF
}

// unread sends a request like a client that sends its body only when told to. It fails the test if
// the service asks for the body.
func (s *service) unread(t *testing.T, path string, h headers) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", path, unwanted{t})
	return s.serve(r, h.with("expect", "100-continue").with("content-type", "multipart/form-data; boundary=border"))
}

// asksForAnswers are the routes that count as sends.
var asksForAnswers = []string{"/v3/chat/message", "/v3/chat/message/regenerate"}

func TestSendsAreCountedBeforeTheirBodies(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.chat.Limits.SendsPerMinute = 4 })
	require.Equal(t, 200, s.send(keyed("ann", "k")).Code)
	refusal(t, s.send(as("ann"), field{name: "colour", value: ""}, field{name: "is_test", value: "maybe"}), 400, wire.CodeValidation, "is_test")
	refusal(t, s.do("POST", "/v3/chat/message", as("ann").json(), "{}"), 415, wire.CodeUnsupportedMedia)
	refusal(t, s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), "{}"), 400, wire.CodeValidation, "project_id", "chat_id", "message_id")
	for _, path := range asksForAnswers {
		for _, h := range []headers{as("ann"), keyed("ann", "another")} {
			w := s.unread(t, path, h)
			refusal(t, w, 429, wire.CodeRateLimited)
			require.Equal(t, "15", w.Header().Get("Retry-After"))
		}
	}
	for range 5 {
		again := s.send(keyed("ann", "k"))
		require.Equal(t, 200, again.Code, "a key that is known is not counted")
		require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	}
	require.Equal(t, 200, s.send(as("bob")).Code)
}

// A form that is being sent takes a place among the running answers, and frees it if it fails.
func TestUnfinishedFormsCountAsAnswers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, func(up *setup) { up.chat.Limits.StreamsPerUser = 2 })
		p := s.listen(t)
		first, second := p.unfinished(t, "ann", 1), p.unfinished(t, "ann", 1)
		for _, path := range asksForAnswers {
			refusal(t, s.unread(t, path, as("ann")), 429, wire.CodeQuotaExceeded)
		}
		require.NoError(t, first.Close())
		synctest.Wait()
		require.Equal(t, 200, s.send(as("ann")).Code)
		refusal(t, answered(t, second), 400, wire.CodeValidation, "images")
		for range 3 {
			require.Equal(t, 200, s.send(as("ann")).Code)
		}
	})
}

// A file that is not an image is refused after its first bytes.
func TestFilesThatAreNotImagesAreRefusedAtOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		content string
		refused bool
	}{{imagetest.SVG, true}, {"<html>" + imagetest.SVG, true}, {string(imagetest.PNG(1, 1)), false}, {"GIF89a", false}} {
		synctest.Test(t, func(t *testing.T) {
			p := start(t, nil).listen(t)
			begun := time.Now()
			came := fmt.Sprintf("--b\r\nContent-Disposition: form-data; name=\"images\"; filename=\"a.png\"\r\n\r\n%s", test.content)
			conn := p.requests(t, "POST", "/v3/chat/message", as("ann").with("content-type", "multipart/form-data; boundary=b"), came, 10<<20)
			w := answered(t, conn)
			require.Equal(t, 400, w.Code)
			took := time.Since(begun) - 10*time.Second // the time that a refused client is granted
			if test.refused {
				refusal(t, w, 400, wire.CodeValidation, "images")
				require.Contains(t, w.Body.String(), "image 1 is not a PNG")
				require.Zero(t, took)
				return
			}
			require.Equal(t, 30*time.Second, took, "the service waited for the rest")
		})
	}
}

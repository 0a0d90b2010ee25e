package openai_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

func TestErrorsContainNoUserTextAndNoKey(t *testing.T) {
	t.Parallel()
	const key, words = "sk-SECRET", "my doctor says so"
	said := key + " " + words // as providers put both into their messages
	body := fmt.Sprintf(`{"error":{"message":%q,"type":%q,"code":%q,"param":%q}}`, said, said, said, said)
	tests := []struct {
		name string
		step step
	}{
		{"status 400", refuses(400, body)},
		{"status 401", refuses(401, body)},
		{"status 429", refuses(429, body, "Retry-After", said)},
		{"status 500 as text", refuses(500, said)},
		{"status 500 as a bare error", refuses(500, fmt.Sprintf(`{"error":%q}`, said))},
		{"redirect", refuses(302, said, "Location", "http://127.0.0.1/"+key)},
		{"page", refuses(200, "<html>"+said, "Content-Type", "text/"+strings.ReplaceAll(said, " ", "-"))},
		{"error event", says("data: " + body + "\n\n")},
		{"error event by its name", says("event: error\ndata: " + said + "\n\n")},
		{"event that is not JSON", says("data: " + said + "\n\n")},
		{"event that is cut", streams(piece(`"` + said + `"`)[:200], dropped)},
		{"text that is not a string", says(piece(`["` + said + `"]`))},
		{"finish reason", says(ends(said))},
		{"status line", raw(said + "\r\n\r\n")},
		{"status code", raw("HTTP/1.1 2x0 " + said + "\r\n\r\n")},
		{"header", raw("HTTP/1.1 200 OK\r\n" + said + "\r\n\r\n")},
		{"length", raw("HTTP/1.1 200 OK\r\nContent-Length: " + said + "\r\n\r\n")},
		{"encoding", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: " + said + "\r\n\r\n")},
		{"chunk", raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + said + "\r\n")},
		{"connection lost", func(w http.ResponseWriter, _ *http.Request) { finish(w, reset) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newModel(t, test.step).provider(t, func(c *openai.Config) { c.APIKey = key })
			got := read(t, p.Answer(t.Context(), question(words)))
			require.Error(t, got.err)
			for err := got.err; err != nil; err = errors.Unwrap(err) {
				for _, format := range []string{"%v", "%+v", "%#v"} {
					text := fmt.Sprintf(format, err)
					require.NotContains(t, text, key)
					require.NotContains(t, text, "doctor")
					require.NotContains(t, text, "SECRET")
				}
			}
		})
	}
}

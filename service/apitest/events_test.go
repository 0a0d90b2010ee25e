package apitest_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// complete is the right proof of the right stream.
const complete = `{"message":{"id":"m2","chat_id":"c","role":"assistant","content":"Hello you","created_at":1,"agent_id":"a","parent_id":"q1","finish_reason":"stop"},"chunks":2,"bytes":9,"crc32":"0a121c78"}`

var right = []string{
	`start {"stream_id":"s","chat_id":"c","message_id":"m2","user_message_id":"m1"}`,
	`chunk {"text":"Hello "}`,
	`document_chunk {"text":"Looking"}`,
	`message_object {"anything":[1]}`,
	`chunk {"text":"you"}`,
	`chat_name {"name":"Hello"}`,
	`complete ` + complete,
	`end {}`,
}

// stream writes events as the service does.
func stream(lines ...string) string {
	if lines == nil {
		lines = right
	}
	var text strings.Builder
	for i, line := range lines {
		name, data, _ := strings.Cut(line, " ")
		fmt.Fprintf(&text, "id: %d\nevent: %s\ndata: %s\n\n", i+1, name, data)
	}
	return text.String()
}

// change returns the right events with one replaced.
func change(line int, with ...string) string {
	changed := append([]string{}, right[:line]...)
	changed = append(changed, with...)
	return stream(append(changed, right[line+1:]...)...)
}

func TestHandlerChecksStreams(t *testing.T) {
	t.Parallel()
	failed := `error {"status_code":502,"error":{"code":"PROVIDER_FAILED","message":"No"}}`
	tests := []struct {
		name, body string
		want       string // "" for nothing wrong
	}{
		{"right", stream(), ""},
		{"right, with comments", ":\n\n" + strings.ReplaceAll(stream(), "id: 3", ": still here\n\nid: 3"), ""},
		{"right, failed", stream(right[0], failed, right[7]), ""},
		{"wrong field in a chunk", change(1, `chunk {"txt":"Hello "}`), "the data of event 2, chunk, doesn't match"},
		{"stray field in a chunk", change(1, `chunk {"text":"Hello ","n":1}`), "'n' not allowed"},
		{"chunk that is not an object", change(4, `chunk "you"`), "got string, want object"},
		{"unknown event", change(2, `thought {"text":"Hm"}`), "event 3, thought, is not in openapi.yaml"},
		{"data that is not JSON", change(1, `chunk {"text":`), "is not JSON"},
		{"no start", stream(right[1:]...), `event 1, chunk, must not follow ""`},
		{"two starts", change(1, right[0]), `event 2, start, must not follow "start"`},
		{"chunk after complete", change(7, right[1], right[7]), `event 8, chunk, must not follow "complete"`},
		{"complete and error", change(7, failed, right[7]), `event 8, error, must not follow "complete"`},
		{"end without complete", stream(right[0], right[1], right[7]), `event 3, end, must not follow "chunk"`},
		{"something after the end", stream(append(append([]string{}, right...), right[7])...), `event 9, end, must not follow "end"`},
		{"no end", stream(right[:7]...), `the stream ends after "complete"`},
		{"cut inside an event", strings.TrimSuffix(stream(), "\n"), "the stream ends inside an event"},
		{"gap in the ids", strings.Replace(stream(), "id: 5", "id: 6", 1), "event 6, chunk, follows event 4, want 5"},
		{"id that is not a number", strings.Replace(stream(), "id: 5", "id: x", 1), `the id of an event is "x"`},
		{"event without an id", strings.Replace(stream(), "id: 5\n", "", 1), "want an event of the lines id, event and data"},
		{"CRLF", strings.Replace(stream(), "id: 5\n", "id: 5\r\n", 1), "want an event of the lines id, event and data"},
		{"code of a refused request", stream(right[0], strings.Replace(failed, "502", "429", 1), right[7]), "status_code"},
		{"another message", change(6, `complete `+strings.Replace(complete, "m2", "m3", 1)), "another message or chat"},
		{"another text", change(6, `complete `+strings.Replace(complete, "Hello you", "Hello me", 1)), "not the joined text"},
		{"another number", change(6, `complete `+strings.Replace(complete, `"chunks":2`, `"chunks":3`, 1)), "complete reports 3 chunks, and 2 came"},
		{"another length", change(6, `complete `+strings.Replace(complete, `"bytes":9`, `"bytes":8`, 1)), "complete reports 8 bytes, and 9 came"},
		{"another checksum", change(6, `complete `+strings.Replace(complete, "0a121c78", "00000000", 1)), "the crc32 in complete is 00000000"},
		{"chunk that complete doesn't have", change(4, right[4], `chunk {"text":"!"}`), "not the joined text"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got := faults(t, reply(200, "text/event-stream", test.body), httptest.NewRequest("POST", "/v3/chat/message", nil))
			if test.want == "" {
				require.Empty(t, got)
			} else {
				require.Contains(t, got, test.want)
			}
		})
	}
}

// A cut at any byte of a write changes nothing.
func TestStreamsMayBeCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, 2, 7, 64} {
		got := faults(t, func(w http.ResponseWriter, r *http.Request) {
			setHeaders(w.Header(), "text/event-stream")
			for text := stream(); text != ""; text = text[min(size, len(text)):] {
				_, _ = w.Write([]byte(text[:min(size, len(text))]))
			}
		}, httptest.NewRequest("POST", "/v3/chat/message", nil))
		require.Empty(t, got, "writes of %d bytes", size)
	}
}

func TestStreamsNeedTheirHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"X-Accel-Buffering", "Cache-Control"} {
		got := faults(t, func(w http.ResponseWriter, r *http.Request) {
			setHeaders(w.Header(), "text/event-stream")
			w.Header().Set(name, "no-store")
			_, _ = w.Write([]byte(stream()))
		}, httptest.NewRequest("POST", "/v3/chat/message", nil))
		require.Contains(t, got, "without no-transform or X-Accel-Buffering", name)
	}
}

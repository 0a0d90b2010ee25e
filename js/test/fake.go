package test

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
)

// Fake is a scripted service, for behaviour that the real one never has.
type Fake struct {
	*Origin
	script atomic.Pointer[http.HandlerFunc]
}

// Fake starts a scripted service. It also serves the files of dist/.
func (s *Suite) Fake(t testing.TB, script http.HandlerFunc) *Fake {
	f := &Fake{}
	f.Play(script)
	f.Origin = s.origin(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*f.script.Load())(w, r) }))
	f.mux.Handle("/dist/", s.dist())
	return f
}

// Play changes the script for later requests.
func (f *Fake) Play(script http.HandlerFunc) { f.script.Store(&script) }

// Config is the configuration of an SDK in a page.
func (f *Fake) Config() Config {
	return Config{"baseUrl": f.URL, "projectId": Project, "accessToken": "token", "maxRetries": 0}
}

// Reply answers with a body of a content type.
func Reply(w http.ResponseWriter, status int, contentType, body string) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("X-Request-Id", "req_scripted")
	w.WriteHeader(status)
	fmt.Fprint(w, body)
}

// Stream writes an event stream by hand.
type Stream struct {
	w    http.ResponseWriter
	next int
	text strings.Builder
	// chunks of text so far.
	chunks int
}

// NewStream begins a stream with its start event.
func NewStream(w http.ResponseWriter) *Stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Request-Id", "req_scripted")
	s := &Stream{w: w, next: 1}
	return s.Event("start", map[string]any{"stream_id": "s1", "chat_id": "c1", "message_id": "m1", "user_message_id": "u1"})
}

// Event writes an event and flushes it.
func (s *Stream) Event(name string, data any) *Stream {
	text, err := json.Marshal(data)
	if err != nil {
		panic(err) // events of tests can always be encoded
	}
	return s.Raw(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", s.next, name, text))
}

// Raw writes bytes and flushes them.
func (s *Stream) Raw(bytes string) *Stream {
	s.next++
	fmt.Fprint(s.w, bytes)
	_ = http.NewResponseController(s.w).Flush() // a page that has left reads no more
	return s
}

// Chunk writes a piece of the answer.
func (s *Stream) Chunk(text string) *Stream {
	s.text.WriteString(text)
	s.chunks++
	return s.Event("chunk", map[string]any{"text": text})
}

// Complete writes the message with its proof, and the end.
func (s *Stream) Complete() { s.CompleteWith(nil) }

// CompleteWith does the same as Complete, with some fields of the event replaced.
func (s *Stream) CompleteWith(fields map[string]any) {
	text := s.text.String()
	data := map[string]any{
		"message": Answered(text), "chunks": s.chunks, "bytes": len(text), "crc32": fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))),
	}
	for name, value := range fields {
		data[name] = value
	}
	s.Event("complete", data).Event("end", map[string]any{})
}

// Answered is the message m1 of the chat c1 with a text.
func Answered(text string) map[string]any {
	return map[string]any{
		"id": "m1", "chat_id": "c1", "role": "assistant", "content": text, "created_at": 1.5, "finish_reason": "stop",
	}
}

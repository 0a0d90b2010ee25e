package main

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/js/test/protocol"
)

// server speaks a protocol, and refuses the first request if it is told to.
type server struct {
	protocol protocol.Protocol
	refuse   int // a status, 0 for none

	mu       sync.Mutex
	requests int
	// sent are the idempotency keys of requests that send the question.
	sent []string
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body) // the question doesn't matter
	if s.note(r) == 1 && s.refuse != 0 {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.refuse)
		_, _ = io.WriteString(w, s.protocol.Refusal(s.refuse))
		return
	}
	for name, value := range s.protocol.Header {
		w.Header().Set(name, value)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	seen, _ := strconv.Atoi(r.Header.Get("Last-Event-Id")) // a missing id is 0
	for _, event := range s.protocol.Events[min(seen, len(s.protocol.Events)):] {
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush() // a client that has left reads no more
	}
}

// note counts a request.
func (s *server) note(r *http.Request) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if r.Method == http.MethodPost && !strings.HasSuffix(r.URL.Path, "/stop") {
		s.sent = append(s.sent, r.Header.Get("Idempotency-Key"))
	}
	return s.requests
}

// keyed reports whether all sends had the same key, so that the service can recognise a repeat.
func (s *server) keyed() bool {
	for _, key := range s.sent {
		if key == "" || key != s.sent[0] {
			return false
		}
	}
	return true
}

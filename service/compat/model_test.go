//go:build unix

package compat_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/memory/detecttest"
)

// model is an OpenAI-compatible server. An answer repeats its question and says how often it was
// asked. If the question begins with waitPrefix, the model waits in the middle of the answer.
type model struct {
	*httptest.Server
	mu      sync.Mutex
	asked   map[string]int
	prompts []string
	gate    chan struct{}
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{asked: map[string]int{}, gate: make(chan struct{})}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := m.answer(w, r); err != nil && r.Context().Err() == nil {
			t.Errorf("the model: %v", err)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

const waitPrefix = "Wait: "

// said returns the n-th answer to a question. The wait comes between its two parts.
func said(question string, n int) (first, second string) {
	return fmt.Sprintf("Answer %d begins here, 🙂 ", n), "and this is to “" + question + "”."
}

func whole(question string, n int) string {
	first, second := said(question, n)
	return first + second
}

// release lets all waiting answers continue.
func (m *model) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.gate)
	m.gate = make(chan struct{})
}

// heron is a sentence of a document. An answer repeats it if it is in the prompt.
const heron = "A heron nests in April."

// prompted reports whether a text was in a prompt.
func (m *model) prompted(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, prompt := range m.prompts {
		if strings.Contains(prompt, text) {
			return true
		}
	}
	return false
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return err
	}
	last := body.Messages[len(body.Messages)-1].Content
	if !body.Stream {
		var data struct{ Message string }
		if err := json.Unmarshal([]byte(last), &data); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/json")
		return detecttest.Answer(w, data.Message)
	}
	m.mu.Lock()
	m.asked[last]++
	first, second := said(last, m.asked[last])
	if strings.Contains(body.Messages[0].Content, heron) {
		second += " " + heron // an answer only has the sources that it uses
	}
	gate := m.gate
	for _, message := range body.Messages {
		m.prompts = append(m.prompts, message.Content)
	}
	m.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	if err := speak(w, first); err != nil {
		return err
	}
	if strings.HasPrefix(last, waitPrefix) {
		select {
		case <-gate:
		case <-r.Context().Done():
			return nil
		}
	}
	if err := speak(w, second); err != nil {
		return err
	}
	_, err := fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	return err
}

// speak sends a text word by word.
func speak(w http.ResponseWriter, text string) error {
	for _, word := range strings.SplitAfter(text, " ") {
		literal, err := json.Marshal(word)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%s}}]}\n\n", literal); err != nil {
			return err
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return err
		}
	}
	return nil
}

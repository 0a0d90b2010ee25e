package test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// ModelName is the model that a service with a scripted model asks.
const ModelName = "scripted"

// Model is a model provider (OpenAI's /chat/completions) that answers each question as the test
// defines.
type Model struct {
	server *httptest.Server

	mu      sync.Mutex
	answers map[string]func(*Answer)
	others  func(*Answer)
	calls   map[string]int
}

// NewModel starts a model. It ends with the test, together with its running answers.
func NewModel(t testing.TB) *Model {
	m := &Model{answers: map[string]func(*Answer){}, calls: map[string]int{}}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(func() {
		m.server.CloseClientConnections()
		m.server.Close()
	})
	return m
}

// Env are the settings of a service that asks the model.
func (m *Model) Env() []string {
	return []string{"OPENAI_BASE_URL=" + m.server.URL, "OPENAI_API_KEY=none", "MODEL=" + ModelName}
}

// On sets the answer to a question. Any other question is answered with its own
// text, or as Otherwise says.
func (m *Model) On(question string, answer func(*Answer)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.answers[question] = answer
}

// Otherwise sets the answer to all questions that On does not name.
func (m *Model) Otherwise(answer func(*Answer)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.others = answer
}

// Calls returns how often a question was asked.
func (m *Model) Calls(question string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[question]
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	var prompt struct {
		Messages []struct {
			Content string `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(r.Body).Decode(&prompt); err != nil || len(prompt.Messages) == 0 {
		http.Error(w, "no messages", http.StatusBadRequest)
		return
	}
	question := questionIn(prompt.Messages[len(prompt.Messages)-1].Content)
	m.mu.Lock()
	m.calls[question]++
	answer := m.answers[question]
	if answer == nil {
		answer = m.others
	}
	m.mu.Unlock()
	if answer == nil {
		answer = func(a *Answer) { a.Text(question).Finish("stop") }
	}
	answer(&Answer{w: w, r: r})
}

// questionIn returns the user's words, which stand behind what the service tells beside them.
func questionIn(message string) string {
	const end = `</context mark="`
	at := strings.LastIndex(message, end)
	if !strings.HasPrefix(message, "<context ") || at < 0 {
		return message
	}
	_, question, _ := strings.Cut(message[at:], "\n\n")
	return question
}

// Answer writes one answer of a model.
type Answer struct {
	w http.ResponseWriter
	r *http.Request
}

// Refuse answers with a status, and asks for a pause before the next request.
func (a *Answer) Refuse(status int) {
	a.w.Header().Set("Content-Type", "application/json")
	a.w.Header().Set("Retry-After", "60")
	a.w.WriteHeader(status)
	fmt.Fprintf(a.w, `{"error":{"message":"scripted","type":"scripted","code":"%d"}}`, status)
}

// Text sends a piece of text.
func (a *Answer) Text(text string) *Answer {
	return a.send(map[string]any{"content": text}, nil)
}

// Think sends a piece of what the model thinks.
func (a *Answer) Think(text string) *Answer {
	return a.send(map[string]any{"reasoning_content": text}, nil)
}

// Finish ends the answer for a reason, such as "stop".
func (a *Answer) Finish(reason string) {
	a.send(map[string]any{}, reason)
	fmt.Fprint(a.w, "data: [DONE]\n\n")
}

// Wait pauses the answer until the gate opens or the service leaves, and reports which.
func (a *Answer) Wait(gate <-chan struct{}) bool {
	select {
	case <-gate:
		return true
	case <-a.r.Context().Done():
		return false
	}
}

// Cut breaks the connection.
func (a *Answer) Cut() { panic(http.ErrAbortHandler) }

func (a *Answer) send(delta map[string]any, reason any) *Answer {
	a.w.Header().Set("Content-Type", "text/event-stream")
	data, err := json.Marshal(map[string]any{
		"id": "1", "object": "chat.completion.chunk", "created": 1, "model": ModelName,
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}},
	})
	if err != nil {
		panic(err) // strings cannot fail
	}
	fmt.Fprintf(a.w, "data: %s\n\n", data)
	_ = http.NewResponseController(a.w).Flush() // a service that has left reads no more
	return a
}

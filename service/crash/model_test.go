package crash_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/memory/detecttest"
)

// model is an OpenAI-compatible server. It answers chat messages at once. Asked for memories, it
// returns what the embedded detector finds, but only after some events.
type model struct {
	*httptest.Server
	// say streams the answer to a question.
	say     func(w http.ResponseWriter, question string) error
	happens atomic.Pointer[func(event)]
	ticks   chan struct{}
	asked   atomic.Uint64
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{ticks: make(chan struct{}), say: note}
	m.watch(func(event) {})
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := m.answer(w, r); err != nil && r.Context().Err() == nil {
			t.Errorf("the model: %v", err)
		}
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *model) env() []string {
	return []string{"OPENAI_BASE_URL=" + m.URL + "/v1", "OPENAI_API_KEY=sk-of-the-tests", "MODEL=small"}
}

// watch sets the function that is called when the service asks for memories.
func (m *model) watch(happens func(event)) { m.happens.Store(&happens) }

// tick brings a waiting detection closer to its answer.
func (m *model) tick() {
	select {
	case m.ticks <- struct{}{}:
	default: // no detection waits
	}
}

func (m *model) answer(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return err
	}
	if asked.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
		return m.say(w, asked.Messages[len(asked.Messages)-1].Content)
	}
	(*m.happens.Load())(detectionAsked)
	for range m.asked.Add(1) % 5 {
		select {
		case <-m.ticks:
		case <-r.Context().Done():
			return nil
		}
	}
	var data struct{ Message string }
	if err := json.Unmarshal([]byte(asked.Messages[1].Content), &data); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	return detecttest.Answer(w, data.Message)
}

func note(w http.ResponseWriter, _ string) error {
	_, err := fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"Noted."},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	return err
}

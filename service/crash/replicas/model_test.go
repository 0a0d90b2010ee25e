//go:build unix

package replicas_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/memory/detecttest"
)

// pace is how long the model needs for a piece of an answer.
const pace = 70 * time.Millisecond

// model is an OpenAI-compatible server. It counts the calls for each question, and answers each of
// them differently.
type model struct {
	*httptest.Server
	t *testing.T

	mu    sync.Mutex
	calls map[string]int // by question
	open  int            // answers that are being written
}

func newModel(t *testing.T) *model {
	m := &model{t: t, calls: map[string]int{}}
	m.Server = httptest.NewUnstartedServer(http.HandlerFunc(m.serve))
	m.Config.SetKeepAlivesEnabled(false) // a replica's idle connections would count as leaked goroutines
	m.Start()
	t.Cleanup(m.Close)
	return m
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		return // the replica was killed
	}
	if asked.Stream {
		m.say(w, r, asked.Messages[len(asked.Messages)-1].Content)
		return
	}
	var data struct{ Message string }
	if err := json.Unmarshal([]byte(asked.Messages[1].Content), &data); err != nil {
		m.t.Errorf("the model is asked for memories of %q: %v", asked.Messages[1].Content, err)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = detecttest.Answer(w, data.Message) // the replica may be gone
}

// pieces returns the pieces of the answer to the n-th call for a question.
func pieces(question string, n int) []string {
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, question, n)
	all := make([]string, 5+hash.Sum32()%30)
	for i := range all {
		all[i] = fmt.Sprintf("%s %d: Wörter 😀 %d; ", question, n, i)
	}
	return all
}

func (m *model) say(w http.ResponseWriter, r *http.Request, question string) {
	m.mu.Lock()
	m.calls[question]++
	n := m.calls[question]
	m.open++
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.open--
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	for _, piece := range pieces(question, n) {
		text, _ := json.Marshal(piece) // a string always encodes
		_, _ = fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", text)
		if err := http.NewResponseController(w).Flush(); err != nil {
			return // the replica was killed
		}
		select {
		case <-time.After(pace):
		case <-r.Context().Done():
			return
		}
	}
	_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n") // the replica may have been killed
}

// asked returns how often the model was called for a question.
func (m *model) asked(question string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls[question]
}

// talking returns how many answers the model is writing.
func (m *model) talking() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.open
}

// isSaid reports whether an answer of the model to a question begins with a text, and whether the
// text is the whole answer.
func isSaid(question, text string, calls int) (said, whole bool) {
	if text == "" {
		return true, false
	}
	for n := 1; n <= calls; n++ {
		if all := strings.Join(pieces(question, n), ""); strings.HasPrefix(all, text) {
			return true, all == text
		}
	}
	return false, false
}

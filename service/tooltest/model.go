package tooltest

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Asking is one time that a Model was asked.
type Asking struct {
	// Round counts from 0.
	Round int
	// Told is what it was told of its calls, by their ids.
	Told map[string]string
	// Doubled are ids of which it was told twice at once.
	Doubled []string
	// NoCalls says that the agent may call no tool.
	NoCalls bool
	// Tools are the names of those that it was offered.
	Tools []string
}

// Model is an OpenAI-compatible server that follows the script of the last question. Close it
// in the end.
type Model struct {
	*httptest.Server
	// Pace is how long it takes for each piece of an answer. Set it before the first use.
	Pace time.Duration
	// Happens is called each time that it is asked. Nil means nobody.
	Happens func()

	mu    sync.Mutex
	asked map[string][]*Asking
}

// NewModel starts a Model.
func NewModel() *Model {
	m := &Model{asked: map[string][]*Asking{}}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	return m
}

// Env are the variables with which a service asks it.
func (m *Model) Env() []string {
	return []string{"OPENAI_BASE_URL=" + m.URL + "/v1", "OPENAI_API_KEY=sk-of-the-tests", "MODEL=small"}
}

// Asked returns the times that it was asked for an answer to a script, in order.
func (m *Model) Asked(scriptID string) (all []Asking) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.asked[scriptID] {
		all = append(all, *one)
	}
	return all
}

// body is a request, as far as it is read.
type body struct {
	Stream   bool
	Messages []struct {
		Role, Content string
		ToolCallID    string            `json:"tool_call_id"`
		ToolCalls     []json.RawMessage `json:"tool_calls"`
	}
	ToolChoice string `json:"tool_choice"`
	Tools      []struct{ Function struct{ Name string } }
}

func (m *Model) serve(w http.ResponseWriter, r *http.Request) {
	var b body
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		return // who asked is gone
	}
	if !b.Stream { // what is there to remember
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprint(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"content":"{\"memories\":[]}"}}]}`)
		return
	}
	script, asking := b.asking()
	m.mu.Lock()
	m.asked[script.ID] = append(m.asked[script.ID], asking)
	m.mu.Unlock()
	if m.Happens != nil {
		m.Happens()
	}
	round := Round{Text: "That is all."}
	if asking.Round < len(script.Rounds) && !asking.NoCalls {
		round = script.Rounds[asking.Round]
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range script.events(asking.Round, round) {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", event); err != nil {
			return
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return
		}
		if m.Pace == 0 {
			continue
		}
		select {
		case <-time.After(m.Pace):
		case <-r.Context().Done():
			return
		}
	}
}

// asking finds the script of the last question, and how far the answer has come.
func (b body) asking() (script Script, asking *Asking) {
	asking = &Asking{Told: map[string]string{}, NoCalls: b.ToolChoice == "none"}
	for _, tool := range b.Tools {
		asking.Tools = append(asking.Tools, tool.Function.Name)
	}
	for _, message := range b.Messages {
		switch {
		case message.Role == "user":
			script, _ = scriptOf(message.Content)
			asking.Round = 0
		case message.Role == "assistant" && len(message.ToolCalls) > 0:
			asking.Round++
		case message.Role == "tool":
			if _, twice := asking.Told[message.ToolCallID]; twice {
				asking.Doubled = append(asking.Doubled, message.ToolCallID)
			}
			asking.Told[message.ToolCallID] = message.Content
		}
	}
	return script, asking
}

// events are the data of a stream. How calls are cut into deltas differs from script to script,
// as it does among servers.
func (s Script) events(number int, round Round) (all []string) {
	for _, word := range strings.SplitAfter(round.Text, " ") {
		if word != "" {
			all = append(all, delta(map[string]any{"content": word}))
		}
	}
	hash := fnv.New32a()
	_, _ = fmt.Fprint(hash, s.ID, number) // a hash takes everything
	whole := hash.Sum32()%3 == 0
	reason := "tool_calls"
	for n, call := range round.Calls {
		head := map[string]any{"index": n, "id": s.ProviderID(number, n), "type": "function"}
		if whole {
			head["function"] = map[string]any{"name": call.Name, "arguments": call.Arguments}
			all = append(all, calling(head))
			reason = "stop"
			continue
		}
		head["function"] = map[string]any{"name": call.Name, "arguments": ""}
		all = append(all, calling(head))
		for piece := range pieces(call.Arguments) {
			all = append(all, calling(map[string]any{"index": n, "function": map[string]any{"arguments": piece}}))
		}
	}
	if len(round.Calls) == 0 {
		reason = "stop"
	}
	return append(all, `{"choices":[{"index":0,"delta":{},"finish_reason":"`+reason+`"}]}`, "[DONE]")
}

// pieces cuts a text, in whole code points.
func pieces(text string) func(yield func(string) bool) {
	const runes = 9
	return func(yield func(string) bool) {
		for all := []rune(text); len(all) > 0; {
			n := min(runes, len(all))
			if !yield(string(all[:n])) {
				return
			}
			all = all[n:]
		}
	}
}

func calling(call map[string]any) string {
	return delta(map[string]any{"tool_calls": []any{call}})
}

func delta(members map[string]any) string {
	text, err := json.Marshal(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": members}}})
	if err != nil { // texts and numbers cannot fail
		panic(fmt.Sprintf("tooltest: delta: %v", err))
	}
	return string(text)
}

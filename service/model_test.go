package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
)

// model is an OpenAI-compatible server that answers as the test tells it to.
type model struct {
	*httptest.Server
	calls chan *call
}

// call is a question that the model was asked.
type call struct {
	header http.Header
	// asked is the body of the request.
	asked struct {
		Model    string
		Messages []struct{ Role, Content string }
	}
	steps chan func(http.ResponseWriter)
	gone  <-chan struct{} // closed when the service has left
	spoke bool
}

func newModel(t *testing.T) *model {
	t.Helper()
	m := &model{calls: make(chan *call)}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{header: r.Header, steps: make(chan func(http.ResponseWriter)), gone: r.Context().Done()}
		if err := json.NewDecoder(r.Body).Decode(&c.asked); err != nil {
			t.Errorf("the model was asked something else: %v", err)
		}
		select {
		case m.calls <- c:
			c.answer(w)
		case <-c.gone:
		}
	}))
	t.Cleanup(m.Close)
	return m
}

// env configures a service to ask the model.
func (m *model) env() env {
	return env{"OPENAI_BASE_URL": m.URL + "/v1", "OPENAI_API_KEY": openaiKey, "MODEL": "small"}
}

// answer follows the test until it ends the answer or nobody listens.
func (c *call) answer(w http.ResponseWriter) {
	for {
		select {
		case step, more := <-c.steps:
			if !more {
				return
			}
			step(w)
		case <-c.gone:
			return
		}
	}
}

// say sends a piece of the answer.
func (c *call) say(text string) {
	c.spoke = true
	c.event(fmt.Sprintf(`{"choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text))
}

// finish ends the answer normally, with a word if nothing was said: an answer without text is asked for
// again.
func (c *call) finish() {
	if !c.spoke {
		c.say("Well.")
	}
	c.event(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	c.event("[DONE]")
	close(c.steps)
}

// cut closes the connection cleanly in the middle of an answer.
func (c *call) cut() { close(c.steps) }

// refuse answers with a status.
func (c *call) refuse(status int) {
	c.do(func(w http.ResponseWriter) { http.Error(w, `{"error":{"message":"`+word+`"}}`, status) })
	close(c.steps)
}

func (c *call) event(data string) {
	c.do(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\n", data) // the service may have left
		_ = http.NewResponseController(w).Flush()
	})
}

func (c *call) do(step func(http.ResponseWriter)) {
	select {
	case c.steps <- step:
	case <-c.gone:
	}
}

// answering sends a message, and returns its answer and the call to the model, which has said a text that the stream shows.
func (p *process) answering(model *model, message, text string) (*stream, *call) {
	p.t.Helper()
	s := p.stream(message)
	c := <-model.calls
	c.say(text)
	s.untilText(text)
	return s, c
}

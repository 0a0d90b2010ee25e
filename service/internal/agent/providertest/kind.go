// Package providertest holds the kinds of providers to what real providers send. Each kind has a file with its cases; a
// new kind joins Kinds. Its tests run every case against every kind, cut at every byte: no kind may take another one's
// stream for an answer. Model is a scripted provider, which the tests of the kinds use, too.
package providertest

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// Kinds are all kinds of providers.
var Kinds = []Kind{OpenAI, Responses, Anthropic, Gemini}

// Kind is a kind of provider.
type Kind struct {
	Name string
	New  func(upstream.Config) (Provider, error)
	// IsEnded reports whether a part of a stream of events has a reason behind all of the answer, or what else ends
	// it in this protocol.
	IsEnded func(stream string) bool
	Cases   []Case
}

// Provider is a provider that is closed after use.
type Provider interface {
	answering.Provider
	Close()
}

// Case is one response, and what has to be read from it.
type Case struct {
	Name string
	// Body is sent with Status; 0 stands for 200, with a stream of events.
	Body   string
	Status int

	Text, Reasoning string
	// Calls are the arguments of calls of the tool look, in the form in which they are carried out.
	Calls []string
	// Images is how many images the model made.
	Images int
	// Finish is the finish reason; an answer without one ends with an error, which begins with Message.
	Finish, Message string
	// Usage is only compared if it is set.
	Usage *wire.Usage
	// Requests is how often the provider is asked; 0 stands for once, or twice if nothing is said.
	Requests int
	// Odd says that the provider's own library does not read it, or reads it in another way, since no documentation
	// has it.
	Odd bool
}

// IsStream reports whether the case is an answer that has begun.
func (c Case) IsStream() bool { return c.Status == 0 || c.Status == http.StatusOK }

// Step is the step of a Model that sends the case.
func (c Case) Step() Step {
	if c.IsStream() {
		return Streams(c.Body, Closed)
	}
	return Refuses(c.Status, c.Body, "Content-Type", "application/json")
}

// Look is the tool that the calls of cases call.
func Look(t testing.TB) *tool.Tool {
	t.Helper()
	const schema = `{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer"}},"required":["q"],"additionalProperties":false}`
	look, err := tool.New(tool.Definition{Kind: wire.ToolHTTP, Name: "look", Description: "Looks.", Parameters: wire.JSON(schema)}, nil)
	require.NoError(t, err)
	return look
}

// Prompt is a question to which the case is the answer.
func (c Case) Prompt(t testing.TB) answering.Prompt {
	t.Helper()
	prompt := Question("Hello?")
	prompt.Reasoning = c.Reasoning != ""
	if c.Calls != nil {
		look := Look(t)
		prompt.Tools = []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}}
	}
	return prompt
}

// At makes a provider for an address that does not wait between its requests.
func (k Kind) At(t testing.TB, config upstream.Config) Provider {
	t.Helper()
	config.APIKey = "sk-test"
	config.Pause = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	p, err := k.New(config)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// Reader returns what reads the first bytes of the body of a case, without a socket.
func (k Kind) Reader(t testing.TB, c Case) func(bytes int) Answer {
	t.Helper()
	answers := &transport{media: "text/event-stream"}
	p, prompt := k.At(t, upstream.Config{BaseURL: "http://model/v1", Transport: answers}), c.Prompt(t)
	return func(bytes int) Answer {
		answers.body = c.Body[:bytes]
		return Read(t, p.Answer(t.Context(), prompt))
	}
}

// reads, good, thinks, lost and calls are cases of a stream: one that is read, the usual one, one with reasoning, one with
// its usage, one that fails behind a text, and one with calls.
func reads(name, text, finish, body string) Case {
	return Case{Name: name, Body: body, Text: text, Finish: finish}
}

func good(name, body string) Case { return reads(name, "Good answer", wire.FinishStop, body) }

func thinks(name, reasoning, body string) Case {
	one := good(name, body)
	one.Reasoning = reasoning
	return one
}

func used(name string, usage wire.Usage, body string) Case {
	one := good(name, body)
	one.Usage = &usage
	return one
}

func lost(name, text, body string) Case { return reads(name, text, "", body) }

func calls(name, body string, want ...string) Case {
	return Case{Name: name, Body: body, Calls: want, Finish: wire.FinishStop}
}

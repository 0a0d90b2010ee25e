package openai_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// model is a scripted provider that speaks the protocol over a socket.
type model struct{ *providertest.Model }

type (
	step   = providertest.Step
	ending = providertest.Ending
)

const (
	closed  = providertest.Closed
	dropped = providertest.Dropped
	reset   = providertest.Reset
	done    = providertest.ChatDone
)

var (
	streams, refuses, raw, finish     = providertest.Streams, providertest.Refuses, providertest.Raw, providertest.Finish
	choice, piece, ends, first        = providertest.ChatChoice, providertest.ChatPiece, providertest.ChatEnds, providertest.ChatFirst
	parts, head, more, place, literal = providertest.ChatParts, providertest.ChatHead, providertest.ChatMore, providertest.ChatPlace, providertest.Literal
	question, quiet                   = providertest.Question, providertest.Quiet
)

func newModel(t *testing.T, steps ...step) *model {
	t.Helper()
	return &model{providertest.NewModel(t, steps...)}
}

// newTLSModel is newModel over HTTP/2, with its own certificate.
func newTLSModel(t *testing.T, steps ...step) *model {
	t.Helper()
	return &model{providertest.NewTLSModel(t, steps...)}
}

// asked is a call in the form that the model got.
type asked struct {
	method, path string
	header       http.Header
	body         string
}

// asked returns the calls so far.
func (m *model) asked() (all []asked) {
	for _, one := range m.Asked() {
		all = append(all, asked{one.Method, one.Path, one.Header, one.Body})
	}
	return all
}

// provider returns a Provider for the model, without pauses between its retries; adjust may change
// its configuration.
func (m *model) provider(t *testing.T, adjust ...func(*openai.Config)) *openai.Provider {
	t.Helper()
	config := openai.Config{
		BaseURL: m.URL + "/v1",
		APIKey:  "sk-test",
		Pause:   func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	for _, change := range adjust {
		change(&config)
	}
	p, err := openai.New(config)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

// says is the answer that sends these events and [DONE].
func says(events ...string) step {
	return streams(strings.Join(events, "")+done, closed)
}

// answer is what a sequence yielded.
type answer struct {
	pieces []string
	mused  string // the reasoning
	calls  []toolcall.ModelCall
	finish string
	err    error
	last   answering.Piece
}

func (a answer) text() string { return strings.Join(a.pieces, "") }

// read reads a sequence to its end and checks the rules of every sequence.
func read(t *testing.T, sequence iter.Seq2[answering.Piece, error]) answer {
	t.Helper()
	all := providertest.Read(t, sequence)
	return answer{all.Pieces, all.Reasoning, all.Calls, all.Last.FinishReason, all.Err, all.Last}
}

// ask asks m one question.
func (m *model) ask(t *testing.T) answer {
	t.Helper()
	return read(t, m.provider(t).Answer(t.Context(), question("Hello?")))
}

// requireCode requires an error for the caller with this code.
func requireCode(t *testing.T, code string, err error) *fault.Error {
	t.Helper()
	var failure *fault.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, code, failure.Code, "%v", err)
	return failure
}

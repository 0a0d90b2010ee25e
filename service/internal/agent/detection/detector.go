package detection

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Detector is a memory.Detector that asks any provider, in plain text, once for each message. It doesn't trust the model:
// what the model quotes from the user must be in the message, word for word. It is safe for concurrent use.
type Detector struct {
	Provider answering.Provider
	// Model is the model's name at the provider.
	Model string
	// Parameters are those of the model. Only the headers, the query and the body are used: the others are about answers
	// that people read.
	Parameters answering.Parameters
	// Timeout is how long a whole answer may take.
	Timeout time.Duration
}

var _ memory.Detector = Detector{}

// mostBytes bounds the answer, whose text is short.
const mostBytes = 1 << 20

// Detect implements memory.Detector. Errors are those of answering.Provider.
func (d Detector) Detect(ctx context.Context, message string, types []string) ([]memory.Finding, error) {
	system, question, err := Ask(message, types)
	if err != nil {
		return nil, err
	}
	text, err := d.answer(ctx, answering.Prompt{
		Model: d.Model, System: system, Messages: []answering.PromptMessage{{Role: wire.RoleUser, Text: question}},
		Parameters: answering.Parameters{Headers: d.Parameters.Headers, Query: d.Parameters.Query, Body: d.Parameters.Body},
	})
	if err != nil {
		return nil, err
	}
	memories, found := Read(text)
	if !found {
		return nil, failed(errors.New("its text is not JSON of the schema"))
	}
	return Findings(message, memories), nil
}

// answer returns the text of a complete answer.
func (d Detector) answer(ctx context.Context, prompt answering.Prompt) (string, error) {
	within, cancel := context.WithTimeout(ctx, d.Timeout)
	defer cancel()
	var text strings.Builder
	finish := ""
	for piece, err := range d.Provider.Answer(within, prompt) {
		switch {
		case err != nil && ctx.Err() == nil && within.Err() != nil:
			return "", &fault.Error{Code: wire.CodeProviderTimeout, Message: "The model did not answer in time"}
		case err != nil:
			return "", err
		case text.Len()+len(piece.Text) > mostBytes:
			return "", failed(errors.New("its text is too long"))
		}
		text.WriteString(piece.Text)
		finish = cmp.Or(piece.FinishReason, finish)
	}
	if finish != wire.FinishStop {
		return "", failed(errors.New("it did not end its answer"))
	}
	return text.String(), nil
}

func failed(cause error) error {
	return &fault.Error{Code: wire.CodeProviderFailed, Reason: wire.ProviderBroken, Message: "The model did not list memories", Cause: cause}
}

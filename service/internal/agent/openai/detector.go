package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"

	"github.com/chatsdk/chatsdk/service/internal/agent/detection"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// Detector is a memory.Detector that asks a model for structured output, once for each message.
// It doesn't trust the model: what the model quotes from the user must be in the message, word
// for word. If the provider refuses the output format, or ignores it and the text contains no
// list, the model is asked again with a looser format. From then on the format that worked is
// used, until the process ends. It is safe for concurrent use.
type Detector struct {
	provider   *Provider
	model      string
	parameters parameters
	format     atomic.Int32 // the index of the strictest format that may work
	// Fallback is called with the looser format that is used from now on. Set it before the first
	// use; it may be nil.
	Fallback func(format string)
}

var _ memory.Detector = (*Detector)(nil)

// Detector returns a Detector that asks this model. Of the parameters it takes the headers, the query and the body: the others are
// about answers that people read.
func (p *Provider) Detector(model string, own answering.Parameters) *Detector {
	return &Detector{provider: p, model: model, parameters: parameters{More: own.Body, Headers: own.Headers, Query: own.Query}}
}

// detectionBytes bounds the response, whose text is short.
const detectionBytes = 1 << 20

// Detect implements memory.Detector. The whole call takes at most the provider's timeout. It is
// retried only in another format. Errors are those of answering.Provider, with the provider's
// reason.
func (d *Detector) Detect(ctx context.Context, message string, types []string) ([]memory.Finding, error) {
	memories, err := d.ask(ctx, message, types)
	if err != nil {
		return nil, err
	}
	return detection.Findings(message, memories), nil
}

// ask returns what the model lists, in the first format that works.
func (d *Detector) ask(ctx context.Context, message string, types []string) (memories []detection.Listed, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q := d.provider.client.Ask(ctx)
	defer q.Close()
	known := d.format.Load()
	for format, isUnfit := known, true; isUnfit && int(format) < len(formats); format++ {
		if memories, isUnfit, err = d.try(q, message, types, formats[format]); err == nil {
			d.settle(known, format)
		}
	}
	return memories, err
}

// try asks with one format. isUnfit means that another format may work: the provider refused the
// request, or the model's text does not list memories.
func (d *Detector) try(q *upstream.Question, message string, types []string, format string) (memories []detection.Listed, isUnfit bool, err error) {
	body, err := d.request(message, types, format)
	if err != nil {
		return nil, false, err
	}
	content, isUnfit, err := d.read(q, body, message)
	if err != nil {
		return nil, isUnfit, err
	}
	text, err := said(content, func(reason string) {
		d.provider.client.Log.Warn(upstream.UnknownReason, "finish_reason", d.privy(message).Identifier(upstream.Token(reason)))
	})
	if err != nil {
		return nil, false, err
	}
	memories, found := detection.Read(text)
	if !found {
		return nil, true, upstream.Failed("The model did not list memories", errors.New("its text is not JSON of the schema"))
	}
	return memories, false, nil
}

// settle remembers the format that a provider accepted.
func (d *Detector) settle(known, format int32) {
	if format > known && d.format.CompareAndSwap(known, format) && d.Fallback != nil {
		d.Fallback(formats[format])
	}
}

// read returns the body of a response. isUnfit is as in try.
func (d *Detector) read(q *upstream.Question, body completion, message string) (content []byte, isUnfit bool, err error) {
	sent, err := d.provider.sent(body)
	if err != nil {
		return nil, false, err
	}
	sent.Privy = func() upstream.Privy { return d.privy(message) }
	return q.Read(sent, detectionBytes)
}

func (d *Detector) request(text string, types []string, format string) (completion, error) {
	system, question, err := detection.Ask(text, types)
	if err != nil {
		return completion{}, err
	}
	return completion{
		Model: d.model, Messages: []message{{Role: "system", Text: system}, {Role: "user", Text: question}}, ResponseFormat: formatOf(format, types),
		parameters: d.parameters,
	}, nil
}

// privy returns what was sent with a message.
func (d *Detector) privy(message string) upstream.Privy {
	return upstream.Privy{Key: d.provider.client.Key, Names: []string{d.model}, Said: []string{message}}
}

// said returns the text of a complete response. If the model refuses, the list is empty. tell is told
// a finish reason that is not known.
func said(content []byte, tell func(reason string)) (string, error) {
	var told chunk
	if err := json.Unmarshal(content, &told); err != nil || len(told.Choices) == 0 || told.Choices[0].Message == nil {
		return "", upstream.NoAnswer(errors.New("the response is not a JSON object with choices"))
	}
	choice := told.Choices[0]
	refusal, err := wholeText(choice.Message.Refusal)
	if err != nil || refusal != "" {
		return `{"memories": []}`, err
	}
	switch reason := cmp.Or(string(choice.FinishReason), string(choice.Reason)); upstream.EndingOf(reason) {
	case upstream.Unknown:
		tell(reason)
		fallthrough
	case upstream.Stopped:
		return wholeText(choice.Message.Content)
	case upstream.CutShort:
		return "", upstream.Failed("The model did not list memories", errors.New("it reached its limit"))
	case upstream.Unended:
		return "", upstream.Failed("The model's answer broke off", upstream.ErrUnended)
	default:
		return "", upstream.Unfinished(reason)
	}
}

// wholeText returns the text of a whole content, without reasoning.
func wholeText(content json.RawMessage) (string, error) {
	var all strings.Builder
	var within thoughts
	parts, _, err := contentOf(content)
	for _, part := range parts {
		if !part.isThought {
			piece, wrong := new(upstream.Text).Next(part.literal)
			all.WriteString(saidOf(within.next(piece)))
			err = errors.Join(err, wrong)
		}
	}
	if err != nil {
		return "", upstream.NoAnswer(upstream.ErrNoText)
	}
	return all.String() + saidOf(within.rest()), nil
}

package chat_test

import (
	"context"
	"iter"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// script is a model that plays a function.
type script func(ctx context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool)

func (s script) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) { s(ctx, prompt, yield) }
}

// says is a model that sends these pieces for every question.
func says(pieces ...answering.Piece) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for _, piece := range pieces {
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// failsAfter is a model that sends these pieces and then an error.
func failsAfter(err error, pieces ...answering.Piece) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for _, piece := range pieces {
			if !yield(piece, nil) {
				return
			}
		}
		yield(answering.Piece{}, err)
	}
}

// words are the pieces of an answer that ends normally.
func words(texts ...string) []answering.Piece {
	var pieces []answering.Piece
	for _, text := range texts {
		pieces = append(pieces, answering.Piece{Text: text})
	}
	return append(pieces, answering.Piece{FinishReason: wire.FinishStop})
}

// live is a model that sends what the test tells it to, when the test tells it.
type live chan *question

func newLive() live { return make(live) }

// question is one call of a live model.
type question struct {
	prompt answering.Prompt
	ctx    context.Context
	pieces chan answer
}

type answer struct {
	answering.Piece
	err error
}

func (l live) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		q := &question{prompt, ctx, make(chan answer)}
		select {
		case l <- q:
		case <-ctx.Done():
			yield(answering.Piece{}, ctx.Err())
			return
		}
		q.answer(yield)
	}
}

func (q *question) answer(yield func(answering.Piece, error) bool) {
	for {
		select {
		case next, more := <-q.pieces:
			if !more || !yield(next.Piece, next.err) {
				return
			}
		case <-q.ctx.Done():
			yield(answering.Piece{}, q.ctx.Err())
			return
		}
	}
}

// say sends pieces of text.
func (q *question) say(texts ...string) {
	for _, text := range texts {
		q.give(answer{Piece: answering.Piece{Text: text}})
	}
}

// finish ends the answer normally.
func (q *question) finish() {
	q.give(answer{Piece: answering.Piece{FinishReason: wire.FinishStop}})
	close(q.pieces)
}

// fail ends the answer with an error.
func (q *question) fail(err error) { q.give(answer{err: err}) }

func (q *question) give(a answer) {
	select {
	case q.pieces <- a:
	case <-q.ctx.Done():
	}
}

// asked is the text of the question.
func (q *question) asked() string { return q.prompt.Question }

// texts are the messages of a prompt, each after its role, without what the question has beside it.
func texts(prompt answering.Prompt) []string {
	var all []string
	for _, message := range prompt.Messages {
		_, own := apart(message.Text)
		all = append(all, message.Role+": "+own)
	}
	return all
}

// beside is what the question of a prompt has beside it.
func beside(prompt answering.Prompt) (told string) {
	for _, message := range prompt.Messages {
		if context, _ := apart(message.Text); context != "" {
			told = context
		}
	}
	return told
}

// instructions are those of a prompt's agent.
func instructions(prompt answering.Prompt) string {
	own, _, _ := strings.Cut(prompt.System, "\n\nAnswer in the language")
	return own
}

// apart cuts a message into what the service added and what the user wrote.
func apart(text string) (context, own string) {
	if match := contextOf.FindStringSubmatch(text); match != nil && match[1] == match[3] {
		return match[2], text[len(match[0]):]
	}
	return "", text
}

var contextOf = regexp.MustCompile(`^(?s)<context mark="([0-9a-f]{8})">\n(.*)\n\n</context mark="([0-9a-f]{8})">\n\n`)

// questions waits for n calls of a live model and returns them by their question.
func (l live) questions(t *testing.T, n int) map[string]*question {
	t.Helper()
	all := map[string]*question{}
	for range n {
		q := <-l
		require.NotContains(t, all, q.asked())
		all[q.asked()] = q
	}
	return all
}

// recorder is a model that records its requests, in order.
type recorder struct {
	script
	prompts chan answering.Prompt
}

func newRecorder(model script) *recorder { return &recorder{model, make(chan answering.Prompt, 64)} }

func (r *recorder) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	prompt.Messages = slices.Clone(prompt.Messages)
	r.prompts <- prompt
	return r.script.Answer(ctx, prompt)
}

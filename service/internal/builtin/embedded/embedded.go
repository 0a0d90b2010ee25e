// Package embedded answers if no model is configured. Use Agent; its zero value is ready.
//
// It is not a language model and never speaks as one. It needs no network and uses only the
// messages, memories and passages of the prompt. It greets, recalls what the user said in the
// chat and what is remembered of them, counts, quotes the sentences of documents, calls tools, tells one
// story, and states the kind and size of images. Asked for anything else, it says that it cannot do it.
// It reads simple English. Of Prompt.System it reads only the memories, so instructions cannot
// leak. What messages and memories say is data: no sentence changes how the agent works.
//
// To follow an answer through the code: command.go calls tools, documents.go searches the
// documents, transcript.go and question.go read the chat and the question, and answer.go tries
// count.go, story.go, small.go and recall.go, each of which knows one kind of answer. fact.go finds what
// the user stated with the rules of package memory/rules, match.go finds the statement that
// answers, and voice.go puts statements and memories into the second person.
package embedded

import (
	"context"
	"iter"
	"regexp"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Window is the window of an agent that sets none, in tokens. It holds the longest message and
// the most images that the service accepts by default, together with memories and instructions.
const Window = 65_536

// Agent is a answering.Provider without a model. It is safe for concurrent use, and equal prompts get
// equal answers.
type Agent struct {
	// Pace is the pause before each piece of text after the first; 0 means none. It makes an
	// answer appear like a model's. A story is told six times more slowly.
	Pace time.Duration
	// Turns limits how many prompts are read at the same time: reading a prompt takes some hundred
	// times its size in memory. Nil means no limit.
	Turns *Turns
}

var _ answering.Provider = Agent{}

// pieceOfText matches about a word with the spaces around it, and cuts long ones. It skips
// nothing.
var pieceOfText = regexp.MustCompile(`\s{1,4}\S{0,32}\s{0,4}|\S{1,32}\s{0,4}`)

// Answer yields a Lookup if it looked through the chat, an Object {"quotes": [{"message_id",
// "text"}]} if it quotes messages, Sources if documents were searched, the text in pieces of
// about a word, the tool calls, and a piece with wire.FinishStop. The only error is ctx's.
func (a Agent) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		r, err := a.respond(ctx, prompt)
		if err != nil {
			yield(answering.Piece{}, err)
			return
		}
		for i, piece := range pieces(r) {
			wait := time.Duration(0)
			if i > 0 && piece.Text != "" {
				wait = a.pace(r)
			}
			if err := pause(ctx, wait); err != nil {
				yield(answering.Piece{}, err)
				return
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// pace is the pause before each piece of the text of a reply.
func (a Agent) pace(r reply) time.Duration {
	if r.slow {
		return slowness * a.Pace
	}
	return a.Pace
}

// respond reads the prompt when it is its user's turn.
func (a Agent) respond(ctx context.Context, prompt answering.Prompt) (reply, error) {
	if a.Turns != nil {
		if err := a.Turns.take(ctx, prompt.User); err != nil {
			return reply{}, err
		}
		defer a.Turns.leave(prompt.User)
	}
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	return respond(prompt), nil
}

// pause waits. If ctx ends first, it returns ctx's error.
func pause(ctx context.Context, wait time.Duration) error {
	if wait > 0 {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
	}
	return ctx.Err()
}

// pieces turns a reply into the pieces that Answer yields, in order.
func pieces(r reply) []answering.Piece {
	var all []answering.Piece
	if r.lookup != "" {
		all = append(all, answering.Piece{Lookup: r.lookup})
	}
	if len(r.quotes) > 0 {
		all = append(all, answering.Piece{Object: quotesObject(r.quotes)})
	}
	if r.sources != nil {
		all = append(all, answering.Piece{Sources: r.sources})
	}
	for _, word := range pieceOfText.FindAllString(r.text, -1) {
		all = append(all, answering.Piece{Text: word})
	}
	for _, call := range r.calls {
		all = append(all, answering.Piece{Call: &call})
	}
	return append(all, answering.Piece{FinishReason: wire.FinishStop})
}

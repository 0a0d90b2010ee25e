// Package embedded answers where no model is configured. Use Agent; its zero
// value is ready.
//
// It is no model and never speaks as one. It needs no network and knows nothing but the
// messages, memories and passages of the prompt: it greets, recalls what the user said in
// the chat and what is remembered of them, counts, quotes the sentences of documents, calls
// tools, and tells the kind and size of images; of everything else it says
// that it cannot. It reads simple English. Of Prompt.System it reads the memories alone, so
// instructions cannot leak, and what stands in a message or a memory is data: no sentence
// changes how the agent works.
//
// To follow an answer through the code: command.go calls tools, documents.go asks the
// documents, transcript.go and question.go read the chat and what is asked, and answer.go
// tries count.go, small.go and recall.go, which each know one kind of answer.
// fact.go finds what the user stated with the rules of package memory/rules, match.go tells
// which statement answers, and voice.go says it in the second person, a memory just the same.
package embedded

import (
	"context"
	"iter"
	"regexp"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// Window is what an agent takes of a chat that names no window, in tokens. It
// holds the longest message and the most images that the service takes by
// default, beside memories and instructions.
const Window = 65_536

// Agent is a chat.Provider without a model. It holds no state: calls may run
// at once, and equal prompts get equal answers.
type Agent struct {
	// Pace is the wait before each piece of text after the first; 0 means none.
	// It makes an answer appear as a model's would.
	Pace time.Duration
	// Slots bounds by its capacity how many prompts are read at once: reading one
	// takes some hundred times its size in memory. Nil is no bound.
	Slots chan struct{}
}

var _ chat.Provider = Agent{}

// pieceOfText matches about a word with the spaces around it, and cuts long ones. It leaves nothing out.
var pieceOfText = regexp.MustCompile(`\s{1,4}\S{0,32}\s{0,4}|\S{1,32}\s{0,4}`)

// Answer gives a Lookup if it looked through the chat, an Object {"quotes":
// [{"message_id", "text"}]} if it quotes messages, Sources if documents were
// searched, the text in pieces of about a word, the calls of tools, and a piece with
// wire.FinishStop. The only error is ctx's.
func (a Agent) Answer(ctx context.Context, prompt chat.Prompt) iter.Seq2[chat.Piece, error] {
	return func(yield func(chat.Piece, error) bool) {
		r, err := a.respond(ctx, prompt)
		if err != nil {
			yield(chat.Piece{}, err)
			return
		}
		for i, piece := range pieces(r) {
			wait := time.Duration(0)
			if i > 0 && piece.Text != "" {
				wait = a.Pace
			}
			if err := pause(ctx, wait); err != nil {
				yield(chat.Piece{}, err)
				return
			}
			if !yield(piece, nil) {
				return
			}
		}
	}
}

// respond reads the prompt when one of Slots is free.
func (a Agent) respond(ctx context.Context, prompt chat.Prompt) (reply, error) {
	if a.Slots != nil {
		select {
		case a.Slots <- struct{}{}:
			defer func() { <-a.Slots }()
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return reply{}, err
	}
	return respond(prompt), nil
}

// pause waits, and returns early with ctx's error.
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

// pieces cuts a reply into what Answer gives, in order.
func pieces(r reply) []chat.Piece {
	var all []chat.Piece
	if r.lookup != "" {
		all = append(all, chat.Piece{Lookup: r.lookup})
	}
	if len(r.quotes) > 0 {
		all = append(all, chat.Piece{Object: quotesObject(r.quotes)})
	}
	if r.sources != nil {
		all = append(all, chat.Piece{Sources: r.sources})
	}
	for _, word := range pieceOfText.FindAllString(r.text, -1) {
		all = append(all, chat.Piece{Text: word})
	}
	for _, call := range r.calls {
		all = append(all, chat.Piece{Call: &call})
	}
	return append(all, chat.Piece{FinishReason: wire.FinishStop})
}

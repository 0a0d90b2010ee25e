// Package embedded answers where no model is configured. Use Agent; its zero
// value is ready.
//
// It is no model and never speaks as one. It needs no network and knows nothing
// but the messages, memories and passages of the prompt: it recalls what the user said
// in the chat and what is remembered of them, counts, and quotes back, quotes the sentences of documents that
// answer a question, and tells the kind and size of images; of everything else it says that it cannot. What
// it recalls from the chat it shows in the user's own words, so that a rule that errs shows
// on what. Its rules read simple English. Of Prompt.System it reads
// the memories alone, so instructions cannot leak, and what stands in a message or a memory is data: no
// sentence changes how the agent works.
//
// To follow an answer through the code: transcript.go reads the chat into
// sentences and mood.go tells statements from questions; clause.go, frame.go
// and fact.go find what was stated; answer.go takes what is asked and tries
// small.go, echo.go, count.go, topic.go, quote.go and recall.go, which each know
// one kind of answer; remembered.go asks the memories where the chat tells
// nothing, and voice.go tells them. command.go comes before all that. A new word belongs into words.go or phrases.go, a new way
// to ask for a fact into query.go, a new kind of fact into key.go.
package embedded

import (
	"context"
	"iter"
	"time"
	"unicode"
	"unicode/utf8"

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
	// Pace is the wait before each piece of text after the first; 0 is none.
	// It makes an answer appear as a model's would.
	Pace time.Duration
	// Slots bounds by its capacity how many prompts are read at once: reading one
	// takes some hundred times its size in memory. Nil is no bound.
	Slots chan struct{}
}

var _ chat.Provider = Agent{}

// pieceRunes is where a word is cut into several pieces.
const pieceRunes = 32

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
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return ctx.Err()
	}
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
	for rest := r.text; rest != ""; {
		n := wordLength(rest)
		all = append(all, chat.Piece{Text: rest[:n]})
		rest = rest[n:]
	}
	for _, call := range r.calls {
		all = append(all, chat.Piece{Call: &call})
	}
	return append(all, chat.Piece{FinishReason: wire.FinishStop})
}

// wordLength is the length in bytes of the first word with the spaces around
// it, and at most pieceRunes code points.
func wordLength(text string) int {
	inWord, runes := false, 0
	for i, r := range text {
		space := unicode.IsSpace(r)
		if runes == pieceRunes || inWord && !space && afterSpace(text, i) {
			return i
		}
		inWord = inWord || !space
		runes++
	}
	return len(text)
}

func afterSpace(text string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	return unicode.IsSpace(before)
}

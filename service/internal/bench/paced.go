package main

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
)

// pace is the time between two words of a running answer.
const pace = 500 * time.Millisecond

// Questions that the embedded agent does not answer.
const (
	questionToRun  = "Write on and on."
	questionToHold = "Write a word and wait."
)

// spoken is a word of a running answer.
const spoken = "word "

// paced is a model whose answers continue until end is called. The embedded agent answers all other
// questions, without a pause between its words.
type paced struct {
	embedded.Agent

	mu    sync.Mutex
	ended chan struct{}
}

func newPaced() *paced { return &paced{ended: make(chan struct{})} }

// Answer implements answering.Provider.
func (p *paced) Answer(ctx context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	every := pace
	switch prompt.Messages[len(prompt.Messages)-1].Text {
	case questionToHold:
		every = 0
	case questionToRun:
	default:
		return p.Agent.Answer(ctx, prompt)
	}
	return func(yield func(answering.Piece, error) bool) {
		for range p.words(ctx, every) {
			if !yield(answering.Piece{Text: spoken}, nil) {
				return
			}
		}
		yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
	}
}

// words sends words, one after each pause, until end is called or ctx ends. With a pause of 0 it
// sends one word.
func (p *paced) words(ctx context.Context, pause time.Duration) iter.Seq[struct{}] {
	p.mu.Lock()
	ended := p.ended
	p.mu.Unlock()
	return func(yield func(struct{}) bool) {
		var next <-chan time.Time
		if pause > 0 {
			ticker := time.NewTicker(pause)
			defer ticker.Stop()
			next = ticker.C
		}
		for yield(struct{}{}) {
			select {
			case <-next:
			case <-ended:
				return
			case <-ctx.Done():
				return
			}
		}
	}
}

// end ends all running answers.
func (p *paced) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.ended)
	p.ended = make(chan struct{})
}

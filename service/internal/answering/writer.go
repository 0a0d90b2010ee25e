// Package answering makes an answer of what it is based on: it searches, makes the prompt, asks a provider, reads the
// pieces, and finds out which sources the text draws on. Begin with Writer.
//
// It knows no store: what an answer reads of its chat comes through Past, and what it says goes to Writer.Store.
package answering

import (
	"context"
	"log/slog"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Writer writes one round of an answer: it searches, makes the prompt, asks, and reads what the model says. All
// of it is required, except for Knowledge and Searcher.
type Writer struct {
	*Draft
	Provider Provider
	// Knowledge searches the documents of Basis.Library.
	Knowledge DocumentSearcher
	// Searcher searches the web, for a question that asks for it.
	Searcher Searcher
	Past     Past
	// Patiently calls try until what it needs can be reached, or it has waited for too long.
	Patiently func(ctx context.Context, try func() error) error
	// Store stores events of the answer, and shows them to its readers. What it refuses is not part of the
	// answer.
	Store func(events []stream.Event) error
	// AddImages keeps images of the answer, and returns the ids of those for which it has room.
	AddImages func(files []images.File) (kept []string, err error)
	// Repaired is called if the model is asked again because its answer did not have the example's shape.
	Repaired func()
	// Refused is called if the provider refused a prompt, and is asked again with less: what it refused, and the name of
	// the operator's tool if it was one.
	Refused func(what Refused, tool string)
	Log     *slog.Logger
}

// Write writes until the answer has ended, or wants calls. The end of ctx ends the request to the model; what has
// arrived is still stored.
func (w *Writer) Write(ctx context.Context) error {
	found, err := w.find(ctx)
	if err != nil {
		return err
	}
	w.mark = markOf(markSecret, w.Question.ID)
	if w.Options.ExampleJSON != "" {
		return w.writeStructured(ctx, found)
	}
	return w.askFitting(ctx, found, nil, nil)
}

// find searches for sources of the answer. In the first round it tells the readers.
func (w *Writer) find(ctx context.Context) (all Finds, err error) {
	if w.Found != nil {
		return *w.Found, nil
	}
	own := false
	if w.Library != nil || w.Options.GoogleSearch {
		if all.query, own, err = w.query(ctx); err != nil {
			return all, err
		}
	}
	if all.passages, err = w.lookUp(ctx, all.query, own); err != nil {
		return all, err
	}
	all.results, err = w.searchWeb(ctx, all.query)
	w.Found = &all
	return all, err
}

// relay asks the provider, and stores what it says. Unless held is nil, the text goes there instead.
func (w *Writer) relay(ctx context.Context, prompt Prompt, held *strings.Builder) error {
	ctx, cancel := context.WithCancel(ctx)
	pieces := ask(ctx, w.Provider, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Wait until the provider has ended its call.
		}
	}()
	for piece := range pieces {
		b := w.gather(piece, pieces, held)
		if err := w.keep(b); err != nil {
			return err
		}
		if b.err != nil || b.full {
			return b.err
		}
	}
	return nil
}

// keep stores a batch. Text that cannot be stored is not part of the answer: the answer contains exactly what its
// readers got.
func (w *Writer) keep(b batch) error {
	kept, err := w.keepImages(b.images)
	if err != nil {
		return err
	}
	if len(kept) > 0 {
		b.events = append(b.events, stream.Images(kept))
	}
	if len(b.events) > 0 {
		if err := w.Store(b.events); err != nil {
			return err
		}
	}
	w.Images = append(w.Images, kept...)
	w.add(b)
	w.note(b)
	return nil
}

// keepImages keeps images that the model made.
func (w *Writer) keepImages(files []images.File) (kept []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	kept, err = w.AddImages(files)
	if err == nil && len(kept) < len(files) {
		w.Log.Warn("an answer has no room for images of its model", "left_out", len(files)-len(kept))
	}
	return kept, err
}

// add adds what was stored to the draft.
func (d *Draft) add(b batch) {
	for _, text := range b.chunks {
		d.Text.WriteString(text)
	}
	d.Said.WriteString(b.said)
	if b.sources != nil {
		d.named = append(append([]wire.Source{}, d.named...), b.sources...)
	}
	if !d.IsLast {
		d.Calls = append(d.Calls, b.calls...)
	}
	for _, text := range b.thoughts {
		d.Thought.WriteString(text)
	}
	d.Chunks += len(b.chunks)
	if b.finish != "" {
		d.Finish = b.finish
	}
}

package answering

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// DocumentSearcher searches documents.
type DocumentSearcher interface {
	// Search finds the passages of these documents that fit a question best: the best first, at
	// most limit.
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// maxPassages is how many passages a prompt has at most.
const maxPassages = 10

// Library is what an answer searches.
type Library struct {
	// Keys are the documents.
	Keys []string
	// Alone reports whether the answer must come only from the documents.
	Alone bool
	// Cited reports whether the model is asked to mark the passages that it cites.
	Cited bool
}

func (l *Library) asksForMarks() bool { return l != nil && l.Cited }

// lookUp searches the documents of an answer, and separately for the question alone if own is true.
// It tells the readers of the stream.
func (w *Writer) lookUp(ctx context.Context, query string, own bool) (passages []search.Hit, err error) {
	if w.Library == nil {
		return nil, nil
	}
	if err := w.tell(Piece{Lookup: w.Library.looking()}); err != nil {
		return nil, err
	}
	err = w.Patiently(ctx, func() (err error) {
		passages, err = w.Knowledge.Search(ctx, query, w.Library.Keys, maxPassages)
		if err != nil || !own {
			return err
		}
		alone, err := w.Knowledge.Search(ctx, w.Question.Content, w.Library.Keys, ownPassages)
		passages = withOwn(passages, alone)
		return err
	})
	return passages, err
}

func (l *Library) looking() string {
	switch n := len(l.Keys); n {
	case 0:
		return "There are no documents to look in"
	case 1:
		return "Looking in one document"
	default:
		return fmt.Sprintf("Looking in %d documents", n)
	}
}

// addPassages adds the passages that fit into room to a prompt, and returns their section.
func (l *Library) addPassages(m meter, p *Prompt, mark string, passages []search.Hit, room int) string {
	if l == nil {
		return ""
	}
	hits, searched := passages, len(p.Results) > 0
	for len(hits) > 0 && m.Count(l.section(mark, hits, false, searched)) > room {
		hits = hits[:len(hits)-1]
	}
	crowded := len(hits) == 0 && len(passages) > 0
	p.Passages, p.FromDocuments, p.Crowded = append([]search.Hit{}, hits...), l.Alone, crowded
	return l.section(mark, hits, crowded, searched)
}

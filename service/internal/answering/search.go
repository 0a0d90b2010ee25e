package answering

import (
	"context"
	"math"
)

// Searcher searches the web.
type Searcher interface {
	// Search returns what it found, the best first. It takes no longer than a person is willing
	// to wait. Its errors go to the log: they contain neither the query nor a key.
	Search(ctx context.Context, query string) ([]Result, error)
}

// Result is a web page as a search describes it. Anybody may have written it, and nobody has
// checked it.
type Result struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// searchWeb searches the web for the question, and tells the page. If the search fails, the
// answer is written without it, because it may still be useful, and the page is told.
func (w *Writer) searchWeb(ctx context.Context, query string) ([]Result, error) {
	if !w.Options.GoogleSearch {
		return nil, nil
	}
	if err := w.tell(Piece{Lookup: "Searching the web for “" + Title(w.Question.Content, 0) + "”"}); err != nil {
		return nil, err
	}
	results, err := w.Searcher.Search(ctx, query)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		w.Log.Warn("web search failed", "error", err)
		return nil, w.tell(Piece{Lookup: "The web search failed; this answer does without it"})
	}
	results = w.best(results)
	if len(results) == 0 {
		return nil, w.tell(Piece{Lookup: "The web search found nothing"})
	}
	return results, nil
}

// tell stores and publishes one piece. It says only once what is being looked up.
func (w *Writer) tell(piece Piece) error {
	if piece.Lookup != "" && len(w.Rounds) > 0 {
		return nil
	}
	b := batch{room: math.MaxInt} // what it says is bounded already
	b.add(&answerPiece{Piece: piece})
	return w.keep(b)
}

package answering

import (
	"cmp"
	"encoding/json"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// returnedBytes is how much is kept of a round for its provider.
const returnedBytes = 1 << 20

// told keeps what a piece says of its request.
func (b *batch) told(piece Piece) {
	b.model = cmp.Or(piece.Model, b.model)
	b.usage = toolcall.Sum(b.usage, piece.Usage)
	if len(piece.Returned) > 0 {
		b.returned = piece.Returned
	}
}

// note keeps what a batch says of its request.
func (w *Writer) note(b batch) {
	if b.finish != "" || b.model != "" {
		w.Answered = cmp.Or(b.model, w.Model)
	}
	switch {
	case len(b.returned) == 0:
	case len(b.returned) > returnedBytes || !utf8.Valid(b.returned) || !json.Valid(b.returned):
		w.Log.Warn("what a provider wants back with a round is not kept: it is too large, or no JSON", "bytes", len(b.returned), "most", returnedBytes)
		w.Returned = nil
	default:
		w.Returned = b.returned
	}
	if b.usage != nil {
		w.Usage, w.Spent = toolcall.Sum(w.Usage, b.usage), toolcall.Sum(w.Spent, b.usage)
	}
}

// costOfReturned returns how many tokens of the window a round takes for its provider. shown is what its text and calls
// take: what is wanted back takes no more than what the model wrote beside them, if the provider said how much it wrote.
func (m meter) costOfReturned(r Round, shown int) int {
	cost := m.Count(string(r.Returned))
	if r.written == 0 {
		return cost
	}
	return min(cost, max(0, r.written-shown))
}

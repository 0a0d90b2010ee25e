package answering

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// answerPiece is a piece, or the error that ended the answer.
type answerPiece struct {
	Piece
	err error
}

// batchEvents is how many events one transaction stores at most.
const batchEvents = stream.BatchEvents

// piecesAhead is how many pieces may wait while a batch is being stored. The provider waits with
// further ones.
const piecesAhead = 128

// ask runs the provider in its own goroutine, so that pieces which arrive while a batch is
// being stored form the next batch. The caller reads the pieces until the channel is closed.
func ask(ctx context.Context, provider Provider, prompt Prompt) <-chan *answerPiece {
	pieces := make(chan *answerPiece, piecesAhead) // pointers, because the buffer of a waiting answer is mostly empty
	go func() {
		defer close(pieces)
		defer func() {
			if raised := recover(); raised != nil {
				pieces <- &answerPiece{err: fault.Panicked("provider", raised)}
			}
		}()
		ended := false
		for piece, err := range provider.Answer(ctx, prompt) {
			pieces <- &answerPiece{piece, err}
			if err != nil {
				return
			}
			if ended = ended || piece.FinishReason != ""; ctx.Err() != nil {
				break
			}
		}
		if !ended {
			pieces <- &answerPiece{err: errBrokeOff}
		}
	}()
	return pieces
}

var errBrokeOff = &fault.Error{Code: wire.CodeProviderFailed, Message: "The model's answer ended before it was complete"}

// batch is what the provider said while the previous batch was being stored.
type batch struct {
	events []stream.Event
	// chunks are the texts of the chunk events.
	chunks []string
	// sources are the sources that the provider names; nil if it names nothing, empty for none.
	sources []wire.Source
	finish  string
	// thoughts are the texts of the reasoning events.
	thoughts []string
	thinking thinking
	// model, returned and usage are as in Piece.
	model    string
	returned wire.JSON
	usage    *wire.Usage
	// said is all the text without marks, and calls are the calls that the model makes.
	said  string
	calls []toolcall.ModelCall
	// images are what the model made.
	images []images.File
	// gap reports whether text of an earlier round precedes the first chunk.
	gap bool
	// held collects the text instead of events, unless it is nil.
	held *strings.Builder
	// room is how many bytes of text the answer may still have, and full says that it has no more.
	room int
	full bool
	// marks removes the marks from the text.
	marks *marks
	// err is why the answer ended; the pieces before it still count.
	err error
}

// gather makes a batch of the first piece and those that are already waiting.
func (d *Draft) gather(first *answerPiece, more <-chan *answerPiece, held *strings.Builder) batch {
	b := batch{held: held, marks: d.marks, gap: d.gap(held), room: d.room(held), thinking: d.thinking()}
	for piece, ok := first, true; ok; {
		b.add(piece)
		if b.err != nil || b.full || len(b.events) == batchEvents {
			break
		}
		select {
		case piece, ok = <-more:
		default:
			ok = false
		}
	}
	return b
}

var errNoObject = errors.New("the provider returned an Object that is not a JSON object in UTF-8")

func isObject(text wire.JSON) bool {
	return bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) && json.Valid(text) && utf8.Valid(text)
}

func (b *batch) add(piece *answerPiece) {
	switch {
	case piece.err != nil:
		b.say(b.marks.rest())
		b.err = piece.err
		return
	case piece.Text != "":
		b.say(b.marks.next(strings.ToValidUTF8(piece.Text, "\uFFFD"))) // JSON text must be valid UTF-8, and the proof counts what was sent
	case piece.Reasoning != "":
		b.think(strings.ToValidUTF8(piece.Reasoning, "\uFFFD"))
	case piece.Call != nil:
		b.calls = append(b.calls, *piece.Call)
	case piece.Image != nil:
		b.images = append(b.images, *piece.Image)
	case len(piece.Object) > 0:
		if !isObject(piece.Object) {
			b.err = errNoObject
			return
		}
		b.event(wire.EventMessageObject, piece.Object)
	case piece.Sources != nil:
		b.sources = append(append([]wire.Source{}, b.sources...), piece.Sources...)
	case piece.Lookup != "":
		b.event(wire.EventDocumentChunk, wire.Text{Text: piece.Lookup})
	}
	b.told(piece.Piece)
	if piece.FinishReason != "" {
		b.say(b.marks.rest())
		if !b.full {
			b.finish = piece.FinishReason
		}
	}
}

// roundGap separates the texts of two rounds.
const roundGap = "\n\n"

func (b *batch) say(text string) {
	if len(text) > b.room {
		text, b.full, b.finish = toolcall.Cut(text, b.room), true, wire.FinishLength
	}
	b.room -= len(text)
	b.said += text
	switch {
	case text == "":
	case b.held != nil:
		b.held.WriteString(text)
	case b.gap:
		b.gap = false
		b.chunk(roundGap)
		b.chunk(text)
	default:
		b.chunk(text)
	}
}

func (b *batch) chunk(text string) {
	b.chunks = append(b.chunks, text)
	b.event(wire.EventChunk, wire.Text{Text: text})
}

// room returns how many bytes of text the answer may still have.
func (d *Draft) room(held *strings.Builder) int {
	switch {
	case d.Most == 0:
		return math.MaxInt
	case held != nil:
		return max(0, d.Most-held.Len())
	}
	return max(0, d.Most-d.Text.Len())
}

// gap reports whether the next text is the first of its round and follows the text of an earlier
// one.
func (d *Draft) gap(held *strings.Builder) bool {
	return held == nil && d.Said.Len() == 0 && d.Text.Len() > 0
}

func (b *batch) event(name string, data any) {
	b.events = append(b.events, stream.EventOf(name, data))
}

package upstream

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Reading is the reading of an answer that a kind of provider streams. Only a finish reason proves that it is whole. What
// follows a reason is read too, until the kind's own end, the end of the body or a pause, and needs a reason of its own.
type Reading struct {
	*Call
	// MayCall says that the model may make calls, and IsBarred that there are tools, none of which may be called.
	MayCall, IsBarred bool
	// Earlier is how many calls earlier rounds made.
	Earlier int
	// Usage is what the answer took as far as it is known, nil if the provider does not say.
	Usage *wire.Usage

	yield       Yield
	linger      time.Duration
	mayBeSilent bool   // an earlier round has text
	begun       bool   // a part of an answer has come
	ended       bool   // a reason has come, and nothing of the answer since
	reason      string // the finish reason that counts
	spoke       bool   // text has been said
	showed      bool   // an image has been yielded
	blanks      string // before the first word
	text        Text
	thought     Text
	isNext      bool // the next text begins a paragraph
	mused       bool // a thought has been yielded
	paused      bool // the next one begins a paragraph
}

// Made is what an answer has beside its text.
type Made struct {
	Calls []toolcall.ModelCall
	// Returned is what the provider wants back; see answering.Piece.
	Returned wire.JSON
}

// mostBlanks is how many blanks before the first word are kept.
const mostBlanks = 1 << 10

// errLeft says that the caller has left the sequence.
var errLeft = errors.New("the caller has left")

// newReading begins to read the answer to a prompt.
func (c *Client) newReading(call *Call, prompt answering.Prompt, yield Yield) *Reading {
	r := &Reading{Call: call, yield: yield, linger: c.Linger, IsBarred: prompt.NoCalls && len(prompt.Tools) > 0}
	r.MayCall = len(prompt.Tools) > 0 && !r.IsBarred
	for _, round := range prompt.Rounds {
		r.mayBeSilent = r.mayBeSilent || round.Text != ""
		r.Earlier += len(round.Calls)
	}
	return r
}

// read takes one event after the other until the answer has ended, and yields its pieces; see Kind.Read.
func (r *Reading) read(take func(Event) (isOver bool, err error), made func(isCut bool) Made) (reason string, isEmpty bool) {
	err := r.hear(take)
	if err == nil {
		isEmpty, err = r.finish(made)
	}
	if err != nil && err != errLeft {
		r.yield(answering.Piece{}, r.Failure(err))
	}
	return r.reason, isEmpty
}

func (r *Reading) hear(take func(Event) (bool, error)) error {
	for r.Left() == nil {
		event, err := r.Next()
		if err != nil {
			return r.closed(err)
		}
		isOver, err := r.event(event, take)
		switch {
		case err != nil && r.ended && err != errLeft:
			r.Log.Warn("the provider reported a failure after the end of an answer", "error", err)
			return nil
		case err != nil:
			return r.wrong(err)
		case isOver:
			return r.closed(io.EOF)
		}
	}
	return r.Left()
}

func (r *Reading) event(event Event, take func(Event) (bool, error)) (isOver bool, err error) {
	if err := r.Reported(event); err != nil {
		return false, err
	}
	switch {
	case string(event.Data) == "[DONE]":
		return true, nil
	case len(event.Data) > 0 && event.Data[0] == '{':
		return take(event)
	case len(event.Data) > 0 && event.Kind != "ping": // which some gateways send with a word
		r.Miss("data that is not JSON")
	}
	return false, nil
}

// wrong is the error for an event that cannot be part of an answer.
func (r *Reading) wrong(err error) error {
	var known *fault.Error
	if errors.As(err, &known) || err == errLeft {
		return err
	}
	return NoAnswer(r.At(err))
}

// closed returns the error of an answer after which nothing more comes, nil if a reason has ended it.
func (r *Reading) closed(err error) error {
	switch {
	case r.Left() != nil:
		return r.Left()
	case !r.ended:
		return r.Cut(err, r.begun)
	case err != io.EOF && !r.IsSilent():
		r.Broke(err)
	}
	return nil
}

// Begin says that a part of an answer has come. More of it takes back its end.
func (r *Reading) Begin() {
	r.begun, r.ended = true, false
	r.Within(0)
}

// Ends ends the answer for now. Of the reasons with nothing between, the gravest counts, and one that makes the answer a
// failure stays.
func (r *Reading) Ends(reason string) {
	if last := EndingOf(r.reason); last < Refuses && (!r.ended || EndingOf(reason) > last) {
		r.reason = reason
	}
	r.begun, r.ended = true, true
	r.Within(r.linger)
}

// HasEnded reports whether a reason has ended the answer.
func (r *Reading) HasEnded() bool { return r.ended }

// Say yields the text of a JSON string, and returns what it added to the text. Anything else is an error.
func (r *Reading) Say(literal []byte) (string, error) {
	if isNothing(literal) {
		return "", nil
	}
	piece, err := r.text.Next(string(literal))
	if err != nil {
		return "", err
	}
	return piece, r.speak(piece)
}

func (r *Reading) speak(text string) error {
	if text == "" {
		return nil
	}
	r.Begin()
	if r.spoke && r.isNext {
		text, r.isNext = "\n\n"+text, false
	}
	if !r.spoke {
		text = r.blanks + text
		if strings.TrimSpace(text) == "" {
			r.blanks = text[max(0, len(text)-mostBlanks):]
			return nil
		}
		r.spoke = true
	}
	return r.give(answering.Piece{Text: text})
}

// EndText makes what is said next a new paragraph.
func (r *Reading) EndText() { r.isNext = r.spoke }

// Think yields the text of a JSON string as what the model thinks, and returns what it added.
func (r *Reading) Think(literal []byte) (string, error) {
	if isNothing(literal) {
		return "", nil
	}
	piece, err := r.thought.Next(string(literal))
	if err != nil || piece == "" {
		return "", err
	}
	r.Begin()
	shown := piece
	if r.paused {
		shown = "\n\n" + piece
	}
	r.mused, r.paused = true, false
	return piece, r.give(answering.Piece{Reasoning: shown})
}

// EndThought makes what the model thinks next a new paragraph.
func (r *Reading) EndThought() { r.paused = r.mused }

func (r *Reading) give(piece answering.Piece) error {
	if !r.yield(piece, nil) {
		return errLeft
	}
	return nil
}

// Show yields an image that the model made.
func (r *Reading) Show(image images.File) error {
	r.Begin()
	r.showed = true
	return r.give(answering.Piece{Image: &image})
}

// isNothing reports whether a JSON value is missing, null or an empty text.
func isNothing(literal []byte) bool {
	literal = bytes.TrimSpace(literal)
	return len(literal) == 0 || string(literal) == "null" || string(literal) == `""`
}

// finish yields the calls and the last piece. A reason that says that the model refuses comes of a filter: the text
// before it is no refusal in words, but was cut.
func (r *Reading) finish(made func(isCut bool) Made) (isEmpty bool, err error) {
	if err := r.speak(r.text.Rest()); err != nil {
		return false, err
	}
	meaning := EndingOf(r.reason)
	if meaning >= Refuses {
		return false, Unfinished(r.reason)
	}
	all := made(meaning == CutShort)
	if len(all.Calls) > 0 && !r.MayCall {
		r.Miss("a call, though none may be made")
		all.Calls = nil
	}
	switch isMute := len(all.Calls) == 0; {
	case r.spoke && meaning == Asks && isMute && !r.IsBarred:
		return false, Unfinished(r.reason)
	case !r.spoke && !r.showed && isMute && !r.mayBeSilent:
		return true, nil
	}
	if len(all.Calls) == 0 { // no round follows
		all.Returned = nil
	}
	for _, one := range all.Calls {
		if err := r.give(answering.Piece{Call: &one}); err != nil {
			return false, err
		}
	}
	if meaning == Unknown {
		r.Log.Warn(UnknownReason, "finish_reason", r.Privy().Identifier(Token(r.reason)))
	}
	last := answering.Piece{FinishReason: wire.FinishStop, Returned: all.Returned, Usage: r.Usage}
	if meaning == CutShort {
		last.FinishReason = wire.FinishLength
	}
	return false, r.give(last)
}

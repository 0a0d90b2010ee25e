package openai

import (
	"cmp"
	"errors"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// errNoChunk says what an event is not.
var errNoChunk = errors.New("it is not a chat completion chunk")

// errLeft says that the caller has left the sequence.
var errLeft = errors.New("the caller has left")

// answer yields the pieces of the answer. Only a finish reason proves that it is complete; neither
// [DONE] nor a closed connection does. What follows a reason is read too, until [DONE], the end of the
// body or a pause, and needs a reason or [DONE] of its own. isEmpty means that the answer has ended
// with neither text nor calls, and that nothing was yielded.
func (c *call) answer(yield func(answering.Piece, error) bool) (isEmpty bool) {
	defer func() {
		if c.thoughts.lost {
			c.Miss("reasoning that has no beginning or no end")
		}
	}()
	err := c.hear(yield)
	if err == nil {
		isEmpty, err = c.finish(yield)
	}
	if err != nil && err != errLeft {
		yield(answering.Piece{}, c.Failure(err))
	}
	return isEmpty
}

// hear yields the text until the answer has ended.
func (c *call) hear(yield func(answering.Piece, error) bool) error {
	for c.Left() == nil {
		event, err := c.Next()
		if err != nil {
			return c.closed(err)
		}
		if isDone(event.Data) {
			c.ended = c.reason != ""
			return c.closed(io.EOF)
		}
		if err := c.take(event, yield); err != nil {
			return err
		}
	}
	return c.Left()
}

// closed returns the error of an answer after which nothing more comes, nil if a reason has ended it.
func (c *call) closed(err error) error {
	switch {
	case c.Left() != nil:
		return c.Left()
	case !c.ended:
		return c.Cut(err, c.chosen)
	case err != io.EOF && !c.IsSilent():
		c.Broke(err)
	}
	return nil
}

// take takes an event. One that is no part of an answer fails it, unless it has ended.
func (c *call) take(event upstream.Event, yield func(answering.Piece, error) bool) error {
	err := c.Reported(event)
	chunks, isOdd, wrong := chunksOf(event.Data)
	if wrong != nil && err == nil {
		err = upstream.NoAnswer(c.At(errNoChunk))
	}
	if err != nil {
		if !c.ended {
			return err
		}
		c.log.Warn("the provider reported a failure after the end of an answer", "error", err)
		return nil
	}
	if isOdd {
		c.Miss("data that is not JSON")
	}
	for _, chunk := range chunks {
		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				c.Miss("a choice beside the first")
				continue
			}
			if err := c.choose(choice, yield); err != nil {
				return err
			}
		}
		c.counted = cmp.Or(chunk.usage(), c.counted)
		if c.ended && chunk.says() {
			c.Within(c.linger)
		}
	}
	return nil
}

// says reports whether a chunk is more than a sign of life.
func (c chunk) says() bool {
	return len(c.Choices) > 0 || len(c.Usage) > 0 && string(c.Usage) != "null" || len(c.Groq) > 0
}

// choose takes a choice. Some servers repeat the whole message beside the last delta, or send it
// instead of all of them.
func (c *call) choose(one choice, yield func(answering.Piece, error) bool) error {
	c.chosen = true
	said := one.Delta
	if said == nil && !c.spoke {
		said = one.Message
	}
	if one.Delta == nil && one.Message == nil {
		said = &delta{Content: one.Text}
	}
	if said != nil {
		if one.Delta == nil && c.mused {
			said.others = nil // it is repeated
		}
		if err := c.say(*said, yield); err != nil {
			return err
		}
	}
	if reason := cmp.Or(string(one.FinishReason), string(one.Reason)); reason != "" {
		c.ends(reason)
	}
	return nil
}

// ends ends the answer for now. Of the reasons with nothing between, the gravest counts, and one that
// makes the answer a failure stays.
func (c *call) ends(reason string) {
	last := upstream.EndingOf(c.reason)
	if last < upstream.Withheld && (!c.ended || upstream.EndingOf(reason) > last) {
		c.reason = reason
	}
	c.ended = true
	c.Within(c.linger)
}

// goesOn takes back the end of the answer, because more of it comes.
func (c *call) goesOn() {
	c.ended = false
	c.Within(0)
}

// say yields the text of d (a refusal counts as text), and collects parts of calls.
func (c *call) say(d delta, yield func(answering.Piece, error) bool) error {
	content, missed, err := contentOf(d.Content)
	refusal, _, wrong := contentOf(d.Refusal)
	if err = errors.Join(err, wrong); err != nil {
		return c.noAnswer(upstream.ErrNoText)
	}
	if missed || upstream.IsSet(d.Audio) {
		c.Miss("content that is not text")
	}
	if c.returned != nil {
		c.returned.add(d)
	}
	for _, part := range slices.Concat(d.reasoning(), content, refusal) {
		if part.isThought {
			err = c.muse(part, yield)
		} else {
			err = c.pronounce(part, yield)
		}
		if err != nil {
			return err
		}
	}
	if err := c.draw(d.Images, yield); err != nil {
		return err
	}
	return c.collect(d)
}

// pronounce yields a part of the text, and the reasoning in it.
func (c *call) pronounce(part spoken, yield func(answering.Piece, error) bool) error {
	piece, err := c.text.Next(part.literal)
	if err != nil {
		return c.noAnswer(err)
	}
	if c.returned != nil {
		c.returned.say(piece)
	}
	return c.speak(c.thoughts.next(piece), yield)
}

// muse yields reasoning that stands beside the text. What is no text is left out.
func (c *call) muse(part spoken, yield func(answering.Piece, error) bool) error {
	piece, err := c.thought.Next(part.literal)
	if err != nil || piece == "" {
		return nil
	}
	c.mused = true
	return c.speak([]span{{piece, true}}, yield)
}

// speak yields what is said and thought.
func (c *call) speak(spans []span, yield func(answering.Piece, error) bool) error {
	for _, one := range spans {
		piece := answering.Piece{Reasoning: one.text}
		if !one.isThought {
			piece = answering.Piece{Text: one.text}
			c.spoke = true
			c.goesOn()
		}
		if !yield(piece, nil) {
			return errLeft
		}
	}
	return nil
}

// collect collects parts of calls.
func (c *call) collect(d delta) error {
	if d.FunctionCall != nil {
		d.ToolCalls = append(d.ToolCalls, callPiece{Function: *d.FunctionCall})
	}
	switch {
	case c.calls != nil:
		if err := c.calls.add(d); err != nil {
			return c.noAnswer(err)
		}
		if len(d.ToolCalls) > 0 {
			c.goesOn()
		}
	case len(d.ToolCalls) > 0:
		c.Miss("a call, though none may be made")
	}
	return nil
}

// noAnswer is the error for an event that cannot be part of an answer.
func (c *call) noAnswer(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return upstream.NoAnswer(c.At(err))
}

// finish yields the calls and the last piece. Calls count whatever the reason, because Gemini, Ollama
// and others send "stop" with them. If the answer was cut, they are returned as far as they arrived.
func (c *call) finish(yield func(answering.Piece, error) bool) (isEmpty bool, err error) {
	c.usage = toolcall.Sum(c.usage, c.counted)
	if err := c.speak(append(c.thoughts.next(c.text.Rest()), c.thoughts.rest()...), yield); err != nil {
		return false, err
	}
	meaning := upstream.EndingOf(c.reason)
	var made []toolcall.ModelCall
	if c.calls != nil && meaning < upstream.Refuses {
		made = c.calls.made(c.earlier, meaning == upstream.CutShort)
	}
	switch isSilent := !c.spoke && len(made) == 0; {
	case meaning >= upstream.Withheld, isSilent && meaning == upstream.Refuses, c.spoke && meaning == upstream.Asks && len(made) == 0 && !c.barred:
		return false, upstream.Unfinished(c.reason)
	case isSilent && !c.mayBeSilent:
		return true, nil
	}
	for _, one := range made {
		if !yield(answering.Piece{Call: &one}, nil) {
			return false, errLeft
		}
	}
	if meaning == upstream.Unknown {
		c.log.Warn(upstream.UnknownReason, "finish_reason", c.Privy().Identifier(upstream.Token(c.reason)))
	}
	finish := wire.FinishStop
	if meaning == upstream.CutShort {
		finish = wire.FinishLength
	}
	last := answering.Piece{FinishReason: finish, Usage: c.usage}
	if len(made) > 0 {
		var lost bool
		if last.Returned, lost = c.returned.json(c.thoughts.removed); lost {
			c.Miss("more than is kept of what goes back to the provider")
		}
	}
	yield(last, nil)
	return false, nil
}

package openai

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// errLeft says that the caller has left the sequence.
var errLeft = errors.New("the caller has left")

// answer yields the pieces of the answer. Only a finish reason proves that it is complete; neither
// [DONE] nor a closed connection does. What follows a reason is read too, until [DONE], the end of the
// body or a pause, and needs a reason or [DONE] of its own. isEmpty means that the answer has ended
// with neither text nor calls, and that nothing was yielded.
func (c *call) answer(yield func(answering.Piece, error) bool) (isEmpty bool) {
	defer c.tellMissed()
	err := c.hear(yield)
	if err == nil {
		isEmpty, err = c.finish(yield)
	}
	if err != nil && err != errLeft {
		yield(answering.Piece{}, c.failure(err))
	}
	return isEmpty
}

// hear yields the text until the answer has ended.
func (c *call) hear(yield func(answering.Piece, error) bool) error {
	for c.caller.Err() == nil {
		event, err := c.stream.next()
		if err != nil {
			return c.closed(err)
		}
		c.events++
		event.data = dataOf(event.data)
		if isDone(event.data) {
			c.ended = c.reason != ""
			return c.closed(io.EOF)
		}
		if err := c.take(event, yield); err != nil {
			return err
		}
	}
	return c.caller.Err()
}

// closed returns the error of an answer after which nothing more comes, nil if a reason has ended it.
func (c *call) closed(err error) error {
	switch {
	case c.caller.Err() != nil:
		return c.caller.Err()
	case !c.ended:
		return c.cut(err)
	case err != io.EOF && c.silence.ctx.Err() == nil:
		c.log.Info("the connection to the provider broke after the end of an answer", "error", cause(err))
	}
	return nil
}

// take takes an event. One that is no part of an answer fails it, unless it has ended.
func (c *call) take(event event, yield func(answering.Piece, error) bool) error {
	err := c.reported(event)
	chunks, isOdd, wrong := chunksOf(event.data)
	if wrong != nil && err == nil {
		err = failed("The model sent something that is not an answer", fmt.Errorf("event %d is not a chat completion chunk", c.events))
	}
	if err != nil {
		if !c.ended {
			return err
		}
		c.log.Warn("the provider reported a failure after the end of an answer", "error", err)
		return nil
	}
	if isOdd {
		c.miss("data that is not JSON")
	}
	for _, chunk := range chunks {
		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				c.miss("a choice beside the first")
				continue
			}
			if err := c.choose(choice, yield); err != nil {
				return err
			}
		}
		if c.ended && chunk.says() {
			c.silence.within(c.linger)
		}
	}
	return nil
}

// says reports whether a chunk is more than a sign of life.
func (c chunk) says() bool {
	return len(c.Choices) > 0 || len(c.Usage) > 0 && string(c.Usage) != "null"
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
		if err := c.say(*said, yield); err != nil {
			return err
		}
	}
	if reason := either(string(one.FinishReason), string(one.Reason)); reason != "" {
		c.ends(reason)
	}
	return nil
}

// ends ends the answer for now. Of the reasons with nothing between, the gravest counts, and one that
// makes the answer a failure stays.
func (c *call) ends(reason string) {
	last := endingOf(c.reason)
	if last < withheld && (!c.ended || endingOf(reason) > last) {
		c.reason = reason
	}
	c.ended = true
	c.silence.within(c.linger)
}

// goesOn takes back the end of the answer, because more of it comes.
func (c *call) goesOn() {
	c.ended = false
	c.silence.within(0)
}

// say yields the text of d (a refusal counts as text), and collects parts of calls.
func (c *call) say(d delta, yield func(answering.Piece, error) bool) error {
	content, missed, err := contentOf(d.Content)
	refusal, _, wrong := contentOf(d.Refusal)
	if err = errors.Join(err, wrong); err != nil {
		return c.noAnswer(errNoText)
	}
	if missed || isSet(d.Audio) || isSet(d.Images) {
		c.miss("content that is not text")
	}
	for _, part := range append(content, refusal...) {
		if part.isThought {
			continue
		}
		piece, err := c.text.next(part.literal)
		if err != nil {
			return c.noAnswer(err)
		}
		if err := c.speak(c.thoughts.next(piece), yield); err != nil {
			return err
		}
	}
	return c.collect(d)
}

// speak yields a text.
func (c *call) speak(text string, yield func(answering.Piece, error) bool) error {
	if text == "" {
		return nil
	}
	c.spoke = true
	c.goesOn()
	if !yield(answering.Piece{Text: text}, nil) {
		return errLeft
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
		c.miss("a call, though none may be made")
	}
	return nil
}

// noAnswer is the error for an event that cannot be part of an answer.
func (c *call) noAnswer(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return failed("The model sent something that is not an answer", fmt.Errorf("event %d: %w", c.events, err))
}

// finish yields the calls and the last piece. Calls count whatever the reason, because Gemini, Ollama
// and others send "stop" with them. If the answer was cut, they are returned as far as they arrived.
func (c *call) finish(yield func(answering.Piece, error) bool) (isEmpty bool, err error) {
	if err := c.speak(c.thoughts.next(c.text.rest())+c.thoughts.rest(), yield); err != nil {
		return false, err
	}
	meaning := endingOf(c.reason)
	var made []toolcall.ModelCall
	if c.calls != nil && meaning < refuses {
		made = c.calls.made(c.earlier, meaning == cutShort)
	}
	switch isSilent := !c.spoke && len(made) == 0; {
	case meaning >= withheld, isSilent && meaning == refuses, c.spoke && meaning == asks && len(made) == 0 && !c.barred:
		return false, unfinished(c.reason)
	case isSilent && !c.mayBeSilent:
		return true, nil
	}
	for _, one := range made {
		if !yield(answering.Piece{Call: &one}, nil) {
			return false, errLeft
		}
	}
	if meaning == unknown {
		c.log.Warn(unknownReason, "finish_reason", c.privy().identifier(token(c.reason)))
	}
	finish := wire.FinishStop
	if meaning == cutShort {
		finish = wire.FinishLength
	}
	yield(answering.Piece{FinishReason: finish}, nil)
	return false, nil
}

// reported returns the error that an event reports, nil if it reports none. The answer has begun, so
// the caller may not ask again: the code is wire.CodeProviderFailed, whatever the kind.
func (c *call) reported(event event) error {
	t, ok := tellEvent(event)
	if !ok {
		return nil
	}
	return failed(kindOf(http.StatusOK, t).message, causeOf(fmt.Sprintf("error in event %d", c.events), t, c.privy()))
}

// cut returns the error for a stream that ended too early, with how its body ended.
func (c *call) cut(err error) error {
	if err != io.EOF {
		return failed("The model's answer broke off", fmt.Errorf("after %d events: %w", c.events, cause(err)))
	}
	if !c.chosen {
		return failed("The model sent something that is not an answer",
			fmt.Errorf("no part of an answer in a response of %s, want text/event-stream", mediaType(c.media)))
	}
	return failed("The model's answer broke off", errUnended)
}

// miss counts what was sent and is not read.
func (c *call) miss(what string) {
	if c.missed == nil {
		c.missed = map[string]int{}
	}
	c.missed[what]++
}

// tellMissed logs what was sent and is not read.
func (c *call) tellMissed() {
	if c.thoughts.lost {
		c.miss("reasoning that has no beginning or no end")
	}
	for what, times := range c.missed {
		c.log.Warn("the provider sent something that is not read", "what", what, "times", times)
	}
}

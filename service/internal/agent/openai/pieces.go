package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// answer yields the pieces of the answer up to the finish reason. Only the finish reason proves
// that the answer is complete; neither [DONE] nor a closed connection does. What may follow it is
// not read, which costs the connection with HTTP/1.1.
func (c *call) answer(yield func(answering.Piece, error) bool) {
	for {
		piece, reason, err := c.next()
		if err != nil {
			yield(answering.Piece{}, c.failure(err))
			return
		}
		if more := c.say(piece, yield); !more {
			return
		}
		if reason != "" {
			c.finish(reason, yield)
			return
		}
	}
}

// say yields the text of d (a refusal counts as text), collects parts of calls, and reports whether
// to continue.
func (c *call) say(d delta, yield func(answering.Piece, error) bool) bool {
	for _, literal := range []string{string(d.Content), string(d.Refusal)} {
		if literal == "" || literal == "null" {
			continue
		}
		piece, err := c.text.next(literal)
		if err != nil {
			yield(answering.Piece{}, c.noAnswer(err))
			return false
		}
		if piece == "" {
			continue
		}
		c.spoke = true
		if !yield(answering.Piece{Text: piece}, nil) {
			return false
		}
	}
	if c.calls == nil {
		return true
	}
	if err := c.calls.add(d); err != nil {
		yield(answering.Piece{}, c.noAnswer(err))
		return false
	}
	return true
}

// noAnswer is the error for an event that cannot be part of an answer.
func (c *call) noAnswer(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return known
	}
	return failed("The model sent something that is not an answer", fmt.Errorf("event %d: %w", c.events, err))
}

// finish yields the calls and the last piece, or the error if there is none. Calls count whatever the
// reason, because Gemini, Ollama and others send "stop" with them. If the answer was cut, they are
// returned as far as they arrived.
func (c *call) finish(reason string, yield func(answering.Piece, error) bool) {
	if rest := c.text.rest(); rest != "" {
		c.spoke = true
		if !yield(answering.Piece{Text: rest}, nil) {
			return
		}
	}
	meaning := endingOf(reason)
	var made []toolcall.ModelCall
	if c.calls != nil && meaning < refuses {
		made = c.calls.made(c.earlier, meaning == cutShort)
	}
	if c.isFailure(meaning, len(made) > 0) {
		yield(answering.Piece{}, unfinished(reason))
		return
	}
	for _, one := range made {
		if !yield(answering.Piece{Call: &one}, nil) {
			return
		}
	}
	if meaning == unknown {
		c.log.Warn("the provider ended an answer with a word that is not known, which counts as its end", "finish_reason", c.privy().identifier(token(reason)))
	}
	if meaning == cutShort {
		yield(answering.Piece{FinishReason: wire.FinishLength}, nil)
		return
	}
	yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
}

// isFailure reports whether an answer that ended so is none.
func (c *call) isFailure(meaning ending, hasCalls bool) bool {
	switch meaning {
	case asks:
		return !hasCalls && !c.barred
	case refuses, unknown:
		return !c.spoke && !hasCalls
	}
	return meaning > refuses
}

// next returns the first choice of the next event that has one, and its finish reason, empty for
// none.
func (c *call) next() (delta, string, error) {
	for c.caller.Err() == nil {
		event, err := c.stream.next()
		if err != nil {
			return delta{}, "", c.cut(err)
		}
		c.events++
		if err := c.reported(event); err != nil {
			return delta{}, "", err
		}
		if string(event.data) == "[DONE]" {
			break
		}
		var told chunk
		if err := json.Unmarshal(event.data, &told); err != nil {
			return delta{}, "", failed("The model sent something that is not an answer",
				fmt.Errorf("event %d is not a chat completion chunk", c.events))
		}
		for _, choice := range told.Choices {
			if choice.Index == 0 {
				return choice.Delta, choice.FinishReason, nil
			}
		}
	}
	return delta{}, "", c.cut(io.EOF)
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
	if c.events == 0 {
		return failed("The model sent something that is not an answer",
			fmt.Errorf("no events in a response of %s, want text/event-stream", mediaType(c.media)))
	}
	return failed("The model's answer broke off", errUnended)
}

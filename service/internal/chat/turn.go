package chat

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// turn is one question on its way to an answer.
type turn struct {
	ctx       context.Context // ends when the answer is stopped, the chat is deleted or the Service closes
	scope     Scope
	agent     Agent
	model     string
	options   Options
	once      once.Request
	requestID string
	streamID  string
	newChat   *wire.Chat
	question  wire.Message
	images    []ImageFile // of the question, until they are stored
	answer    wire.Message
	replaces  string // the id of the answer to replace, empty for none
	stream    *live
	memories  string   // the part of the prompt
	results   []Result // of a web search
	library   *library // what is searched for the answer; nil is nothing
	examines  bool     // whether the question may be examined for memories
	examine   *Examine // nil when it has been told, too
	release   func()   // gives the user's place among the running streams back, once

	// What the stored events came to.
	lastID int64
	text   strings.Builder
	chunks int
	finish string
}

func (t *turn) start() wire.Start {
	return wire.Start{StreamID: t.streamID, ChatID: t.question.ChatID, MessageID: t.answer.ID, UserMessageID: t.question.ID}
}

// run asks the provider and writes the stream to its end.
func (s *Service) run(t *turn) {
	if err := s.tryAnswer(t); err != nil {
		s.fail(t, err)
	}
}

// tryAnswer gives a panic as an error: one answer must not end the service.
func (s *Service) tryAnswer(t *turn) error {
	return safely("answer", func() error {
		err := s.write(t)
		if context.Cause(t.ctx) == errStopped && err != nil {
			t.finish, err = wire.FinishStopped, nil
		}
		if err != nil {
			return err
		}
		return s.complete(t)
	})
}

// write makes the prompt and the answer.
func (s *Service) write(t *turn) error {
	if err := s.lookUp(t); err != nil {
		return err
	}
	if err := s.searchWeb(t); err != nil {
		return err
	}
	prompt, err := s.prompt(t.ctx, t)
	if err != nil {
		return err
	}
	if t.options.ExampleJSON != "" {
		return s.writeStructured(t, prompt)
	}
	return s.relay(t, prompt, nil)
}

// relay asks the provider and stores and publishes what it says. The text goes
// to held instead, unless that is nil.
func (s *Service) relay(t *turn, prompt Prompt, held *strings.Builder) error {
	ctx, cancel := context.WithCancel(t.ctx)
	pieces := s.ask(ctx, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Until the provider has let go.
		}
	}()
	for piece := range pieces {
		b := gather(t.lastID, piece, pieces, held)
		if err := s.keep(t, b); err != nil {
			return err
		}
		if b.err != nil {
			return b.err
		}
	}
	if t.finish == "" {
		return &Error{Code: wire.CodeProviderFailed, Message: "The model's answer broke off before its end"}
	}
	return nil
}

// keep stores and publishes a batch. What is not stored was never said: the
// answer holds what its readers got. Ending t.ctx ends the asking, not the
// storing of what had come.
func (s *Service) keep(t *turn, b batch) error {
	if len(b.events) > 0 {
		if err := s.config.Store.AppendEvents(context.WithoutCancel(t.ctx), t.streamID, b.events); err != nil {
			return err
		}
		t.stream.publish(b.events)
		s.examine(t)
	}
	for _, text := range b.chunks {
		t.text.WriteString(text)
	}
	t.drawOn(b.sources)
	t.lastID += int64(len(b.events))
	t.chunks += len(b.chunks)
	if b.finish != "" {
		t.finish = b.finish
	}
	return nil
}

// seal makes the answer what it is for good.
func (t *turn) seal(finish string) {
	t.answer.Content, t.answer.FinishReason, t.answer.StreamID = t.text.String(), finish, ""
}

// complete stores the whole answer and ends the stream with its proof.
func (s *Service) complete(t *turn) error {
	ctx := context.WithoutCancel(t.ctx)
	t.seal(t.finish)
	name := title(t.question.Content, s.config.Limits.NameCharacters)
	named, err := s.config.Store.NameChat(ctx, t.question.ChatID, name, s.now())
	if err != nil {
		return err
	}
	response := wire.SendMessageResponse{Message: t.answer, ChatID: t.answer.ChatID, MessageID: t.answer.ID}
	last := numbered{last: t.lastID}
	if named {
		response.ChatName = name
		last.add(wire.EventChatName, wire.ChatName{Name: name})
	}
	last.add(wire.EventComplete, proof(t.answer, t.chunks))
	last.add(wire.EventEnd, struct{}{})
	if err := s.config.Store.EndTurn(ctx, t.streamID, t.answer, End{At: s.now(), Events: last.events}); err != nil {
		return err
	}
	s.forget(t.stream)
	s.end(t, t.finish, last.events, response, nil)
	return nil
}

// fail stores what had come and ends the stream with the error.
func (s *Service) fail(t *turn, err error) {
	if cause := context.Cause(t.ctx); cause != nil && cause != errStopped {
		err = cause
	}
	t.seal(wire.FinishError)
	end := s.failure(t, err)
	store := func(ctx context.Context) error {
		return safely("store", func() error { return s.config.Store.EndTurn(ctx, t.streamID, t.answer, end) })
	}
	stored := store(context.WithoutCancel(t.ctx))
	switch {
	case errors.Is(stored, ErrNotFound): // the chat was deleted
		err, stored = ErrNotFound, nil
		end = s.failure(t, err)
	case stored != nil:
		t.stream.store = store
		err = errors.Join(err, stored)
	}
	s.config.Log.Log(t.ctx, level(err), "answer failed",
		"request_id", t.requestID, "code", end.Error.Error.Code, "agent_id", t.agent.ID, "error", err)
	if stored == nil {
		s.forget(t.stream)
	}
	s.end(t, end.Error.Error.Code, end.Events, wire.SendMessageResponse{}, err)
}

// failure is how a turn ends that has failed.
func (s *Service) failure(t *turn, err error) End {
	end := Broken(s.now(), s.config.ErrorBody(err))
	for i := range end.Events {
		end.Events[i].ID += t.lastID
	}
	return end
}

// Broken is the end of a stream whose answer failed, its events numbered from 1.
func Broken(at float64, body wire.ErrorBody) End {
	var last numbered
	last.add(wire.EventError, body)
	last.add(wire.EventEnd, struct{}{})
	return End{At: at, Error: &body, Events: last.events}
}

// level is how much an operator needs to know of a failed answer.
func level(err error) slog.Level {
	if errors.Is(err, ErrNotFound) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// end gives the readers the last events. All else comes first: who has read
// the end may send again at once.
func (s *Service) end(t *turn, outcome string, last []Event, response wire.SendMessageResponse, err error) {
	t.release()
	told := safely("what is told of an answer's end", func() error {
		s.examine(t)
		if !t.question.IsTest {
			s.config.Ended(outcome)
		}
		return nil
	})
	if told != nil {
		s.config.Log.Error("the end of an answer was not told", "request_id", t.requestID, "error", told)
	}
	t.stream.end(last, response, err)
}

package chat

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"log/slog"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// turn is one question on its way to an answer.
type turn struct {
	ctx           context.Context // ends when the chat is deleted or the Service closes
	scope         Scope
	agent         Agent
	model         string
	ignoreHistory bool
	requestID     string
	streamID      string
	newChat       *wire.Chat
	question      wire.Message
	answer        wire.Message
	stream        *Stream
	memories      string   // the part of the prompt
	examine       *Examine // nil when it has been told, too
	release       func()   // gives the user's place among the running streams back

	// What the stored events came to.
	lastID int64
	text   strings.Builder
	chunks int
	crc    uint32
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

// tryAnswer turns a panic into an error: one answer must not end the service.
func (s *Service) tryAnswer(t *turn) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = panicked("answer", fault)
		}
	}()
	if err := s.write(t); err != nil {
		return err
	}
	return s.complete(t)
}

// write asks the provider and stores and publishes what it says.
func (s *Service) write(t *turn) error {
	prompt, err := s.prompt(t.ctx, t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.ctx)
	pieces := s.ask(ctx, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Until the provider has let go.
		}
	}()
	for piece := range pieces {
		b := gather(t.lastID, piece, pieces)
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
		t.crc = crc32.Update(t.crc, crc32.IEEETable, []byte(text))
	}
	t.lastID += int64(len(b.events))
	t.chunks += len(b.chunks)
	if b.finish != "" {
		t.finish = b.finish
	}
	return nil
}

// event numbers an event as the next one of the stream.
func (t *turn) event(name string, data any) Event {
	t.lastID++
	return Event{ID: t.lastID, Type: name, Data: encode(data)}
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
	if err := s.config.Store.EndTurn(ctx, t.streamID, t.answer); err != nil {
		return err
	}
	response := wire.SendMessageResponse{Message: t.answer, ChatID: t.answer.ChatID, MessageID: t.answer.ID}
	var last []Event
	if named {
		response.ChatName = name
		last = append(last, t.event(wire.EventChatName, wire.ChatName{Name: name}))
	}
	last = append(last, t.event(wire.EventComplete, wire.Complete{
		Message: t.answer, Chunks: t.chunks, Bytes: t.text.Len(), CRC32: fmt.Sprintf("%08x", t.crc),
	}))
	s.end(t, t.finish, last, response, nil)
	return nil
}

// fail stores what had come and ends the stream with the error.
func (s *Service) fail(t *turn, err error) {
	if cause := context.Cause(t.ctx); cause != nil {
		err = cause
	}
	t.seal(wire.FinishError)
	ended := s.config.Store.EndTurn(context.WithoutCancel(t.ctx), t.streamID, t.answer)
	switch {
	case errors.Is(ended, ErrNotFound):
		err = ErrNotFound // the chat was deleted
	case ended != nil:
		err = errors.Join(err, ended)
	}
	body := s.config.ErrorBody(err)
	s.config.Log.Log(t.ctx, level(err), "answer failed",
		"request_id", t.requestID, "code", body.Error.Code, "agent_id", t.agent.ID, "error", err)
	s.end(t, body.Error.Code, []Event{t.event(wire.EventError, body)}, wire.SendMessageResponse{}, err)
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
	last = append(last, t.event(wire.EventEnd, struct{}{}))
	s.forget(t.stream)
	s.examine(t)
	t.release()
	s.config.Ended(outcome)
	t.stream.end(last, response, err)
}

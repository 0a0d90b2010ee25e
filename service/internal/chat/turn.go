package chat

import (
	"bytes"
	"context"
	"encoding/json"
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

	// What the pieces so far came to.
	lastID int64
	text   strings.Builder
	chunks int
	crc    uint32
	finish string
}

func (t *turn) start() wire.Start {
	return wire.Start{StreamID: t.streamID, ChatID: t.question.ChatID, MessageID: t.answer.ID, UserMessageID: t.question.ID}
}

// answer asks the provider and writes the stream to its end.
func (s *Service) answer(t *turn, stream *Stream) {
	defer s.forget(stream)
	t.lastID = 1
	if err := s.tryAnswer(t, stream); err != nil {
		s.fail(t, stream, err)
	}
}

// tryAnswer turns a panic into an error: one answer must not end the service.
func (s *Service) tryAnswer(t *turn, stream *Stream) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("answer panicked: %v", fault)
		}
	}()
	if err := s.write(t, stream); err != nil {
		return err
	}
	return s.complete(t, stream)
}

// write asks the provider and stores and publishes what it says.
func (s *Service) write(t *turn, stream *Stream) error {
	prompt, err := s.prompt(t.ctx, t)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(t.ctx)
	defer cancel()
	pieces := s.ask(ctx, prompt)
	defer func() {
		cancel()
		for range pieces {
			// Until the provider has let go.
		}
	}()
	for first := range pieces {
		events, err := t.take(first, pieces)
		if len(events) > 0 {
			if err := s.config.Store.AppendEvents(t.ctx, t.streamID, events); err != nil {
				return err
			}
			stream.publish(events)
		}
		if err != nil {
			return err
		}
	}
	if t.finish == "" {
		return &Error{Code: wire.CodeProviderFailed, Message: "The model's answer broke off before its end"}
	}
	return nil
}

// answerPiece is a piece or the error that ended them.
type answerPiece struct {
	Piece
	err error
}

// batch is how many pieces one transaction stores at most.
const batch = 512

// ask runs the provider beside the writer, so that what comes while a batch is
// being stored makes the next batch.
func (s *Service) ask(ctx context.Context, prompt Prompt) <-chan answerPiece {
	pieces := make(chan answerPiece, batch)
	go func() {
		defer close(pieces)
		defer func() {
			if fault := recover(); fault != nil {
				pieces <- answerPiece{err: fmt.Errorf("provider panicked: %v", fault)}
			}
		}()
		for piece, err := range s.config.Provider.Answer(ctx, prompt) {
			select {
			case pieces <- answerPiece{piece, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return pieces
}

// take turns the first piece and those that wait behind it into events. With
// an error, what came before it still counts.
func (t *turn) take(first answerPiece, more <-chan answerPiece) ([]Event, error) {
	var events []Event
	for piece, ok := first, true; ok; {
		if piece.err != nil {
			return events, piece.err
		}
		events = t.add(events, piece.Piece)
		if len(events) >= batch {
			return events, nil
		}
		select {
		case piece, ok = <-more:
		default:
			ok = false
		}
	}
	return events, nil
}

func (t *turn) add(events []Event, piece Piece) []Event {
	switch {
	case piece.Text != "":
		t.chunks++
		t.text.WriteString(piece.Text)
		t.crc = crc32.Update(t.crc, crc32.IEEETable, []byte(piece.Text))
		events = append(events, t.event(wire.EventChunk, wire.Text{Text: piece.Text}))
	case len(piece.Object) > 0:
		events = append(events, t.event(wire.EventMessageObject, piece.Object))
	case piece.Lookup != "":
		events = append(events, t.event(wire.EventDocumentChunk, wire.Text{Text: piece.Lookup}))
	}
	if piece.FinishReason != "" {
		t.finish = piece.FinishReason
	}
	return events
}

// event numbers an event as the next one of the stream.
func (t *turn) event(name string, data any) Event {
	t.lastID++
	return Event{ID: t.lastID, Type: name, Data: encode(data)}
}

// complete stores the whole answer and ends the stream with its proof.
func (s *Service) complete(t *turn, stream *Stream) error {
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
	var events []Event
	if named {
		response.ChatName = name
		events = append(events, t.event(wire.EventChatName, wire.ChatName{Name: name}))
	}
	events = append(events, t.event(wire.EventComplete, wire.Complete{
		Message: t.answer, Chunks: t.chunks, Bytes: t.text.Len(), CRC32: fmt.Sprintf("%08x", t.crc),
	}))
	stream.end(append(events, t.event(wire.EventEnd, struct{}{})), response, nil)
	s.config.Ended(t.finish)
	return nil
}

// seal makes the answer what it is for good.
func (t *turn) seal(finish string) {
	t.answer.Content, t.answer.FinishReason, t.answer.StreamID = t.text.String(), finish, ""
}

// fail stores what had come and ends the stream with the error.
func (s *Service) fail(t *turn, stream *Stream, err error) {
	if cause := context.Cause(t.ctx); cause != nil {
		err = cause
	}
	t.seal(wire.FinishError)
	if !errors.Is(err, ErrNotFound) {
		ended := s.config.Store.EndTurn(context.WithoutCancel(t.ctx), t.streamID, t.answer)
		if errors.Is(ended, ErrNotFound) {
			err = ErrNotFound // the chat was deleted meanwhile
		} else {
			err = errors.Join(err, ended)
		}
	}
	body := s.config.ErrorBody(err)
	s.config.Ended(body.Error.Code)
	s.config.Log.Log(t.ctx, level(err), "answer failed",
		"request_id", t.requestID, "code", body.Error.Code, "agent_id", t.agent.ID, "error", err)
	stream.end([]Event{t.event(wire.EventError, body), t.event(wire.EventEnd, struct{}{})}, wire.SendMessageResponse{}, err)
}

// level is how much an operator needs to know of a failed answer.
func level(err error) slog.Level {
	if errors.Is(err, ErrNotFound) {
		return slog.LevelInfo
	}
	return slog.LevelError
}

// encode is the data of an event: JSON in one line.
func encode(data any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(data); err != nil {
		panic(fmt.Sprintf("chat: encode %T: %v", data, err)) // our own types; a fault of the program
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

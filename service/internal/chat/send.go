package chat

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Send is a message with its options; the zero value of each is unset.
type Send struct {
	// ChatID names the chat, empty makes a new one.
	ChatID string
	// Message is the text, with LF for line ends.
	Message           string
	AgentID           string
	AgentType         string
	ModelName         string
	Metadata          wire.JSON
	IsTest            bool
	IgnoreChatHistory bool
	// RequestID stands beside failures in the log.
	RequestID string
}

// Send stores the message and begins its answer, which goes on whether or not
// anybody reads the stream, until the chat is deleted or the Service closes. An
// error, *Error or ErrNotFound, means that nothing was stored.
func (s *Service) Send(ctx context.Context, caller Caller, send Send) (*Stream, error) {
	t, err := s.newTurn(caller, send)
	if err != nil {
		return nil, err
	}
	undo, done, err := s.quota.take(caller.Scope)
	if err != nil {
		return nil, err
	}
	t.release = done
	if err := s.remember(ctx, t); err != nil {
		undo()
		return nil, err
	}
	if err := s.begin(ctx, t); err != nil {
		undo()
		return nil, err
	}
	go func() {
		defer s.turns.Done()
		s.run(t)
	}()
	return t.stream, nil
}

// begin counts the turn among the running ones and stores it.
func (s *Service) begin(ctx context.Context, t *turn) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosing
	}
	var cancel context.CancelCauseFunc
	t.ctx, cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	s.running[t.stream] = cancel
	s.turns.Add(1)
	s.mu.Unlock()

	err := s.config.Store.BeginTurn(ctx, t.scope, Turn{
		NewChat: t.newChat, StreamID: t.streamID, Question: t.question, Answer: t.answer, Events: t.stream.events,
		Examine: t.examine,
	})
	if err != nil {
		s.forget(t.stream)
		s.turns.Done()
	}
	return err
}

// forget takes an ended stream from the running ones.
func (s *Service) forget(stream *Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running[stream](nil)
	delete(s.running, stream)
}

// newTurn checks the message and its options.
func (s *Service) newTurn(caller Caller, send Send) (*turn, error) {
	if err := s.checkMessage(send.Message); err != nil {
		return nil, err
	}
	agent, err := s.agent(caller, send.AgentID)
	if err != nil {
		return nil, err
	}
	if err := manner(send.AgentType); err != nil {
		return nil, err
	}
	model, err := s.model(agent, send.ModelName)
	if err != nil {
		return nil, err
	}
	if err := agent.fits(send.Message); err != nil {
		return nil, err
	}
	t := &turn{
		scope: caller.Scope, agent: agent, model: model,
		ignoreHistory: send.IgnoreChatHistory, requestID: send.RequestID, streamID: newID("stream"),
	}
	s.fillMessages(t, send)
	t.stream = newStream(t.start())
	t.lastID = int64(len(t.stream.events))
	return t, nil
}

func (s *Service) checkMessage(text string) error {
	if strings.TrimSpace(text) == "" {
		return &Error{Code: wire.CodeValidation, Message: "message is blank", Fields: []string{wire.FieldMessage}}
	}
	limit := s.config.Limits.MessageCharacters
	if length := utf8.RuneCountInString(text); limit > 0 && length > limit {
		return &Error{
			Code:    wire.CodePayloadTooLarge,
			Message: fmt.Sprintf("message has %d characters, want at most %d", length, limit),
			Fields:  []string{wire.FieldMessage},
		}
	}
	return nil
}

func (s *Service) fillMessages(t *turn, send Send) {
	chatID := send.ChatID
	if chatID == "" {
		chat := s.newChat(t.scope, Untitled)
		t.newChat, chatID = &chat, chat.ChatID
	}
	now := s.now()
	t.question = wire.Message{
		ID: newID("msg"), ChatID: chatID, Role: wire.RoleUser, Content: send.Message, CreatedAt: now,
		Metadata: send.Metadata, IsTest: send.IsTest,
	}
	t.answer = wire.Message{
		ID: newID("msg"), ChatID: chatID, Role: wire.RoleAssistant, CreatedAt: now,
		AgentID: t.agent.ID, ModelName: t.model, IsTest: send.IsTest, StreamID: t.streamID,
	}
}

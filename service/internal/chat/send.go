package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Send is a message with its options; the zero value of each is unset.
type Send struct {
	// ChatID names the chat, empty makes a new one.
	ChatID string
	// Message is the text, with LF for line ends.
	Message string
	// Images are files, what they are is found out.
	Images [][]byte
	Options
	Metadata wire.JSON
	IsTest   bool
	// Once is the request's key.
	Once once.Request
	// RequestID stands beside failures in the log.
	RequestID string
}

// Options say how a question is answered. They are stored with it as JSON, so
// that it is answered in the same way again.
type Options struct {
	AgentID           string `json:"agent_id,omitempty"`
	AgentType         string `json:"agent_type,omitempty"`
	ModelName         string `json:"model_name,omitempty"`
	IgnoreChatHistory bool   `json:"ignore_chat_history,omitempty"`
	// GoogleSearch searches the web for the question.
	GoogleSearch bool `json:"google_search,omitempty"`
	// FormatInstructions say how the answer looks.
	FormatInstructions string `json:"format_instructions,omitempty"`
	// ExampleJSON is a JSON object or array whose shape the answer is to have.
	ExampleJSON string `json:"example_json,omitempty"`
	// UseKnowledgebase searches documents; false doesn't, whatever else names
	// some. Nil is unset.
	UseKnowledgebase *bool `json:"use_knowledgebase,omitempty"`
	// DocumentKeys are the documents to search. Nil is unset; empty is none.
	DocumentKeys []string `json:"document_keys,omitzero"`
}

// Send is Admit and Admission.Send for a message that is there already.
func (s *Service) Send(ctx context.Context, caller access.Caller, send Send) (*Stream, error) {
	a, err := s.Admit(ctx, caller, send.Once.Key)
	if err != nil {
		return nil, err
	}
	defer a.Leave()
	return a.Send(ctx, send)
}

// Send stores the message and begins its answer, which goes on whether or not
// anybody reads the stream, until it is stopped, the chat is deleted or the
// Service closes. A repeat of a request with its key stores nothing, counts
// against no limit, and gives the answer of the first one. An error means that
// nothing was stored.
func (a *Admission) Send(ctx context.Context, send Send) (*Stream, error) {
	s := a.service
	return s.once(ctx, a.caller, send.Once, func() (stream *Stream, err error) {
		if send.DocumentKeys, err = s.documentKeys(send.DocumentKeys); err != nil {
			return nil, err
		}
		t, err := s.newTurn(a.caller, send)
		if err != nil {
			return nil, err
		}
		t.examines = true
		return a.begin(ctx, t)
	})
}

// begin stores a turn and runs it.
func (a *Admission) begin(ctx context.Context, t *turn) (*Stream, error) {
	s := a.service
	if err := a.count(); err != nil {
		return nil, err
	}
	if err := s.chooseDocuments(ctx, t); err != nil {
		return nil, err
	}
	if err := t.fits(); err != nil {
		return nil, err
	}
	if err := s.remember(ctx, t); err != nil {
		return nil, err
	}
	if err := s.store(ctx, t); err != nil {
		return nil, err
	}
	release := a.release
	t.release = sync.OnceFunc(func() {
		s.running.Add(-1)
		release()
	})
	a.release = nil // the turn does it at its end
	go func() {
		defer s.turns.Done()
		defer t.log.Close()
		defer t.release()
		s.run(t)
	}()
	return &Stream{service: s, start: t.start()}, nil
}

// store counts the turn among the running ones and stores it.
func (s *Service) store(ctx context.Context, t *turn) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return errClosing
	}
	t.log = s.logs.Write(context.WithoutCancel(ctx), stream.Lease{StreamID: t.streamID, Epoch: 1}, t.question.ChatID)
	t.ctx = t.log.Context()
	s.turns.Add(1)
	s.running.Add(1)
	s.mu.Unlock()
	stored := false
	defer func() {
		if !stored { // after a panic too
			t.log.Close()
			s.running.Add(-1)
			s.turns.Done()
		}
	}()
	events := []Event{eventOf(wire.EventStart, t.start())}
	err := s.config.Store.BeginTurn(ctx, t.scope, Turn{
		NewChat: t.newChat, StreamID: t.streamID, Question: t.question, Images: t.images, Options: encode(t.options), Answer: t.answer,
		Replaces: t.replaces, Claim: t.once.Claim(t.scope.ProjectID, t.scope.UserID, t.streamID, t.answer.CreatedAt),
		Events: events, Examine: t.examine,
	})
	t.images = nil // from here on they are read where they are needed
	if stored = err == nil; stored {
		t.log.Show(events)
	}
	return err
}

// newTurn checks the message and its options.
func (s *Service) newTurn(caller access.Caller, send Send) (*turn, error) {
	if err := s.checkMessage(send.Message); err != nil {
		return nil, err
	}
	agent, err := s.agent(caller, send.AgentID)
	if err != nil {
		return nil, err
	}
	if err := s.checkManner(send.AgentType); err != nil {
		return nil, err
	}
	model, err := s.model(agent, send.ModelName)
	if err != nil {
		return nil, err
	}
	if err := s.checkForm(send.Options); err != nil {
		return nil, err
	}
	if send.GoogleSearch && s.config.Searcher == nil {
		return nil, errNoSearch
	}
	images, err := readImages(send.Images)
	if err != nil {
		return nil, err
	}
	t := &turn{
		scope: caller.Scope, agent: agent, model: model, options: send.Options, images: images,
		once: send.Once, requestID: send.RequestID, streamID: newID("stream"),
	}
	s.fillMessages(t, send)
	return t, nil
}

func (s *Service) checkMessage(text string) error {
	if strings.TrimSpace(text) == "" {
		return fault.Invalid(wire.FieldMessage, "message is blank")
	}
	limit := s.config.Limits.MessageCharacters
	if length := utf8.RuneCountInString(text); limit > 0 && length > limit {
		return &fault.Error{
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
		Metadata: send.Metadata, IsTest: send.IsTest, ImageURLs: imageIDs(t.images),
	}
	t.answer = wire.Message{
		ID: newID("msg"), ChatID: chatID, Role: wire.RoleAssistant, CreatedAt: now,
		AgentID: t.agent.ID, ModelName: t.model, IsTest: send.IsTest, StreamID: t.streamID,
	}
}

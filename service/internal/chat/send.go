package chat

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

// Send is a message with its options. The zero value of each option means unset.
type Send struct {
	// ChatID identifies the chat; empty makes a new one.
	ChatID string
	// Message is the text, with LF for line ends.
	Message string
	// Images are the bytes of files; their format is derived from the content.
	Images [][]byte
	answering.Options
	Metadata wire.JSON
	IsTest   bool
	// ParentID is the answer that the message follows; empty means the last one of the chat's
	// current path.
	ParentID string
	// Edits is the question that this message is a new version of, empty for none.
	Edits string
	Offer
	// Once is the request's idempotency key.
	Once once.Request
	// RequestID is logged with failures.
	RequestID string
}

// Send is Admit and Admission.Send for a message whose body is already there.
func (s *Service) Send(ctx context.Context, caller access.Caller, send Send) (*Stream, error) {
	a, err := s.Admit(ctx, caller, send.Once.Key)
	if err != nil {
		return nil, err
	}
	defer a.Leave()
	return a.Send(ctx, send)
}

// Send stores the message and begins its answer. The answer continues, whether or not anybody
// reads the stream, until it is stopped, the chat is deleted or the Service closes. A repeat of a
// request with its key stores nothing, counts against no limit, and gets the answer of the first
// one. An error means that nothing was stored.
func (a *Admission) Send(ctx context.Context, send Send) (*Stream, error) {
	s := a.service
	return a.answerOnce(ctx, send.Once, func() (stream *Stream, err error) {
		if send.DocumentKeys, err = s.documentKeys(send.DocumentKeys); err != nil {
			return nil, err
		}
		asked, err := s.check(a.caller, send)
		if err == nil {
			err = s.placed(ctx, &asked, send)
		}
		if err != nil {
			return nil, err
		}
		stream, err = a.begin(ctx, asked)
		return stream, s.whichIsMissing(ctx, a.caller.Scope, send, err)
	})
}

// placed checks the position of a message in the chat. An edited question keeps its images unless
// others were sent.
func (s *Service) placed(ctx context.Context, asked *asking, send Send) error {
	switch {
	case send.Edits+send.ParentID == "":
		return nil
	case send.ChatID == "":
		return fault.Invalid(wire.FieldChatID, "chat_id is missing: parent_id and edits name a message of a chat")
	case send.Edits == "":
		return nil
	case send.ParentID != "":
		return &fault.Error{
			Code: wire.CodeValidation, Message: "parent_id and edits cannot be combined: an edited message has the same parent as the original",
			Fields: []string{wire.FieldParentID, wire.FieldEdits},
		}
	}
	old, err := s.config.Store.Message(ctx, asked.scope, send.ChatID, send.Edits)
	if err == nil && len(asked.images) == 0 {
		asked.Question.ImageURLs = old.ImageURLs
	}
	return s.whichIsMissing(ctx, asked.scope, send, err)
}

// whichIsMissing finds out which field of a send names something that does not exist.
func (s *Service) whichIsMissing(ctx context.Context, scope access.Scope, send Send, err error) error {
	field := wire.FieldParentID
	if send.Edits != "" {
		field = wire.FieldEdits
	}
	if send.Edits+send.ParentID != "" && s.whatIsMissing(ctx, scope, send.ChatID, err) == errNoMessage {
		return fault.NotFound("Message", field)
	}
	return err
}

// begin stores the question and begins its answer.
func (a *Admission) begin(ctx context.Context, asked asking) (*Stream, error) {
	s := a.service
	release, err := a.take()
	if err != nil {
		return nil, err
	}
	begun := false
	defer func() {
		if !begun { // also after a panic
			a.putBack(release)
		}
	}()
	if err := s.mayPark(ctx, asked); err != nil {
		return nil, err
	}
	if asked, err = s.basisOf(ctx, asked); err != nil {
		return nil, err
	}
	t, err := s.store(ctx, asked)
	if err != nil {
		return nil, err
	}
	begun = true
	t.release = sync.OnceFunc(func() {
		s.running.Add(-1)
		release()
	})
	go s.run(t)
	return &Stream{service: s, projectID: t.scope.ProjectID, start: t.start()}, nil
}

// store counts a turn among the running ones, and stores it.
func (s *Service) store(ctx context.Context, a asking) (*turn, error) {
	t := &turn{request: a.request, streamID: ids.New("stream")}
	t.Draft = answering.Draft{Basis: a.Basis, Most: s.config.Limits.AnswerBytes}
	t.answer = wire.Message{
		ID: ids.New("msg"), ChatID: a.Question.ChatID, Role: wire.RoleAssistant, CreatedAt: s.now(),
		AgentID: a.Agent.ID, ModelName: a.Model, IsTest: a.Question.IsTest, StreamID: t.streamID, MemoryIDs: a.memoryIDs,
		ParentID: a.Question.ID,
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosing
	}
	lease := stream.Lease{StreamID: t.streamID, Epoch: 1}
	t.log = s.logs.Write(context.WithoutCancel(ctx), lease, t.Question.ChatID)
	t.ctx = t.log.Context()
	s.turns.Add(1)
	s.running.Add(1)
	s.mu.Unlock()
	stored := false
	defer func() {
		if !stored { // also after a panic
			t.log.Close()
			s.running.Add(-1)
			s.turns.Done()
		}
	}()
	events := []Event{stream.EventOf(wire.EventStart, t.start())}
	err := s.config.Store.BeginTurn(ctx, t.scope, Turn{
		NewChat: t.newChat, StreamID: t.streamID, Question: t.Question, Images: t.images, Options: stream.Encode(t.Options), Answer: t.answer,
		Again: t.again, Parent: t.parent, Edits: t.edits, Asked: a.asks(), Key: t.once.Use(t.scope.ProjectID, t.scope.UserID, t.streamID, t.answer.CreatedAt),
		Events: events, Examine: t.examine,
	})
	t.images = nil // from now on they are read from the Store when needed
	if stored = err == nil; stored {
		t.log.Show(events)
	}
	return t, err
}

// check checks a message and its options.
func (s *Service) check(caller access.Caller, send Send) (asking, error) {
	if err := s.checkMessage(send.Message); err != nil {
		return asking{}, err
	}
	agent, err := s.agent(caller, send.AgentID)
	if err != nil {
		return asking{}, err
	}
	if err := s.checkManner(send.AgentType); err != nil {
		return asking{}, err
	}
	model, err := s.model(agent, send.ModelName)
	if err != nil {
		return asking{}, err
	}
	if err := s.checkStructure(send.Options); err != nil {
		return asking{}, err
	}
	if send.GoogleSearch && s.config.Searcher == nil {
		return asking{}, errNoSearch
	}
	files, err := images.Read(send.Images)
	if err != nil {
		return asking{}, err
	}
	a := asking{
		Basis: answering.Basis{
			Agent: agent, Model: model, Abilities: s.config.Abilities(agent, model), Options: send.Options, User: caller.UserID,
			NoHistory: send.IgnoreChatHistory || send.ChatID == "",
		},
		request: request{
			scope: caller.Scope, images: files, once: send.Once, requestID: send.RequestID, parent: send.ParentID, edits: send.Edits,
		},
	}
	if err := a.offer(s.shelf, send.Offer); err != nil {
		return asking{}, err
	}
	chatID := send.ChatID
	if chatID == "" {
		chat := s.newChat(caller.Scope, Untitled)
		a.newChat, chatID = &chat, chat.ChatID
	}
	a.Question = wire.Message{
		ID: ids.New("msg"), ChatID: chatID, Role: wire.RoleUser, Content: send.Message, CreatedAt: s.now(),
		Metadata: send.Metadata, IsTest: send.IsTest, ImageURLs: images.IDs(files),
	}
	return a, nil
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

// checkStructure refuses options about the form of an answer if no model can follow them.
func (s *Service) checkStructure(options answering.Options) error {
	field := wire.FieldExampleJSON
	switch {
	case s.config.Structured || options.FormatInstructions == "" && options.ExampleJSON == "":
		return nil
	case options.ExampleJSON == "":
		field = wire.FieldFormatInstructions
	}
	return Disabled(field, "it needs a model; set OPENAI_BASE_URL and MODEL")
}

// errNoSearch refuses google_search if no search is configured.
var errNoSearch = Disabled(wire.FieldGoogleSearch, "there is no web search here; set SEARCH_KEY and SEARCH_ENGINE_ID")

package chat

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Regenerate identifies an answer whose question is to be answered again.
type Regenerate struct {
	ChatID    string
	MessageID string
	Offer
	// Once is the request's idempotency key.
	Once once.Request
	// RequestID is logged with failures.
	RequestID string
}

// Regenerate is Admit and Admission.Regenerate for a request whose body is already there.
func (s *Service) Regenerate(ctx context.Context, caller access.Caller, request Regenerate) (*Stream, error) {
	a, err := s.Admit(ctx, caller, request.Once.Key)
	if err != nil {
		return nil, err
	}
	defer a.Leave()
	return a.Regenerate(ctx, request)
}

// Regenerate answers a question again, with the options that it was sent with. The new answer is
// a sibling of the old one, and the chat's current path leads to it. If it fails, or is stopped
// before its first word, the path returns. Apart from this it works like Send.
func (a *Admission) Regenerate(ctx context.Context, request Regenerate) (*Stream, error) {
	stream, err := a.answerOnce(ctx, request.Once, func() (*Stream, error) {
		asked, err := a.service.askAgain(ctx, a.caller, request)
		if err != nil {
			return nil, err
		}
		return a.begin(ctx, asked)
	})
	return stream, a.service.whatIsMissing(ctx, a.caller.Scope, request.ChatID, err)
}

// askAgain prepares to answer a question again.
func (s *Service) askAgain(ctx context.Context, caller access.Caller, request Regenerate) (asking, error) {
	old, err := s.config.Store.Message(ctx, caller.Scope, request.ChatID, request.MessageID)
	if err == nil && old.Role != wire.RoleAssistant {
		err = fault.Invalid("message_id", "message_id is a question; send the id of the answer to regenerate")
	}
	if err != nil {
		return asking{}, err
	}
	question, err := s.config.Store.Message(ctx, caller.Scope, request.ChatID, old.ParentID)
	if err != nil {
		return asking{}, err
	}
	options, err := s.optionsOf(ctx, question.ID, old)
	if err != nil {
		return asking{}, err
	}
	again, err := s.check(caller, Send{
		ChatID: request.ChatID, Message: question.Content, IsTest: question.IsTest, Options: options, Offer: request.Offer,
		Once: request.Once, RequestID: request.RequestID,
	})
	again.Question, again.again = question, true
	return again, err
}

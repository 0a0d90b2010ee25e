package chat

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Regenerate names the answer to replace.
type Regenerate struct {
	ChatID    string
	MessageID string
	// Once is the request's key.
	Once once.Request
	// RequestID stands beside failures in the log.
	RequestID string
}

// Regenerate is Admit and Admission.Regenerate for a request that is there
// already.
func (s *Service) Regenerate(ctx context.Context, caller access.Caller, request Regenerate) (*Stream, error) {
	a, err := s.Admit(ctx, caller, request.Once.Key)
	if err != nil {
		return nil, err
	}
	defer a.Leave()
	return a.Regenerate(ctx, request)
}

// Regenerate answers the last question of a chat anew, with the options that it
// was sent with. The new answer replaces the old one when it is complete or
// stopped; one that fails replaces nothing. In all else it is as Send.
func (a *Admission) Regenerate(ctx context.Context, request Regenerate) (*Stream, error) {
	stream, err := a.service.answerOnce(ctx, a.caller, request.Once, func() (*Stream, error) {
		asked, err := a.service.askAgain(ctx, a.caller, request)
		if err != nil {
			return nil, err
		}
		return a.begin(ctx, asked)
	})
	return stream, a.service.whatIsMissing(ctx, a.caller.Scope, request.ChatID, err)
}

// askAgain asks a question that was answered before.
func (s *Service) askAgain(ctx context.Context, caller access.Caller, request Regenerate) (asking, error) {
	question, old, err := s.lastAnswer(ctx, caller, request)
	if err != nil {
		return asking{}, err
	}
	options, err := s.optionsOf(ctx, question.ID, old)
	if err != nil {
		return asking{}, err
	}
	again, err := s.check(caller, Send{
		ChatID: request.ChatID, Message: question.Content, IsTest: question.IsTest, Options: options,
		Once: request.Once, RequestID: request.RequestID,
	})
	again.question, again.replaces = question, old.ID
	return again, err
}

// lastAnswer finds the answer to replace, with its question. The Store looks
// again when the turn begins.
func (s *Service) lastAnswer(ctx context.Context, caller access.Caller, request Regenerate) (question, answer wire.Message, err error) {
	question, answer, err = s.config.Store.Replaceable(ctx, caller.Scope, request.ChatID, request.MessageID)
	if errors.Is(err, ErrNotAnswer) {
		err = &fault.Error{
			Code: wire.CodeValidation, Message: "message_id is a question; name the answer to replace", Fields: []string{"message_id"},
		}
	}
	return question, answer, err
}

// optionsOf are the options that a question was sent with. Where they are not
// known, the agent is the one that answered it.
func (s *Service) optionsOf(ctx context.Context, questionID string, old wire.Message) (Options, error) {
	text, err := s.config.Store.SendOptions(ctx, questionID)
	if err != nil || text == nil {
		return Options{AgentID: old.AgentID}, err
	}
	var options Options
	err = json.Unmarshal(text, &options)
	return options, err
}

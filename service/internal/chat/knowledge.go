package chat

import (
	"context"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Knowledge searches the documents of a project and its users.
type Knowledge interface {
	// Usable returns which of the keys name documents that answers to a user may use: each once,
	// in the order of keys. If keys is nil, it returns all of them. An empty userID is an API key
	// that acts for no user.
	Usable(ctx context.Context, projectID, userID string, keys []string) ([]string, error)
	answering.DocumentSearcher
}

const noDocuments = "this service has no documents"

var errNoDocument = &fault.Error{Code: wire.CodeNotFound, Message: "Document not found", Fields: []string{wire.FieldDocumentKeys}}

// documentKeys returns keys without repetitions, in their order, and refuses too many. Nil stays
// nil, and empty stays empty.
func (s *Service) documentKeys(keys []string) ([]string, error) {
	once := keys[:0:0]
	seen := map[string]bool{}
	for _, key := range keys {
		if !seen[key] {
			once = append(once, key)
		}
		seen[key] = true
	}
	if limit := s.config.Limits.DocumentKeys; limit > 0 && len(once) > limit {
		return nil, &fault.Error{
			Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("document_keys has %d keys, want at most %d", len(once), limit),
			Fields: []string{wire.FieldDocumentKeys},
		}
	}
	return once, nil
}

// checkDocuments refuses keys of documents that the scope may not use. The error doesn't say
// whether they exist elsewhere.
func (s *Service) checkDocuments(ctx context.Context, scope access.Scope, keys []string) error {
	if len(keys) == 0 || s.config.Knowledge == nil {
		return nil
	}
	usable, err := s.config.Knowledge.Usable(ctx, scope.ProjectID, scope.UserID, keys)
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !slices.Contains(usable, key) {
			return errNoDocument
		}
	}
	return nil
}

// chooseDocuments decides what is searched for an answer, nil for nothing: the documents that the
// message names, else those of the chat, else the agent's, else all that may be used. The search
// is on if the message or the chat names documents, and for the document agent. Documents that a
// chat, an agent or an earlier message names and that no longer exist are ignored.
func (s *Service) chooseDocuments(ctx context.Context, a asking) (*answering.Library, error) {
	use, named, alone := a.Options.UseKnowledgebase, a.Options.DocumentKeys, a.Manner() == wire.AgentDocument
	if s.config.Knowledge == nil {
		return nil, refuseDocuments(a.Options)
	}
	if !a.again {
		if err := s.checkDocuments(ctx, a.scope, named); err != nil {
			return nil, err
		}
	}
	if use != nil && !*use && !alone {
		return nil, nil
	}
	if named == nil && a.newChat == nil {
		chat, err := s.config.Store.Chat(ctx, a.scope, a.Question.ChatID)
		if err != nil {
			return nil, err
		}
		named = chat.DocumentKeys
	}
	if named == nil && use == nil && !alone {
		return nil, nil
	}
	if named == nil {
		named = a.Agent.Documents
	}
	keys, err := s.config.Knowledge.Usable(ctx, a.scope.ProjectID, a.scope.UserID, named)
	return &answering.Library{Keys: keys, Alone: alone, Cited: s.config.Structured && a.Options.ExampleJSON == ""}, err
}

// refuseDocuments refuses options that ask for documents if the service has none.
func refuseDocuments(options answering.Options) error {
	switch {
	case options.DocumentKeys != nil:
		return Disabled(wire.FieldDocumentKeys, noDocuments)
	case options.UseKnowledgebase != nil && *options.UseKnowledgebase:
		return Disabled(wire.FieldUseKnowledgebase, noDocuments)
	}
	return nil
}

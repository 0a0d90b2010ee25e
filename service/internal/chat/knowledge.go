package chat

import (
	"context"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

// Knowledge searches the documents of a project and its users.
type Knowledge interface {
	// Usable returns which of the keys name documents that answers to a user may use: each once,
	// in the order of keys. If keys is nil, it returns all of them. An empty userID is an API key
	// that acts for no user.
	Usable(ctx context.Context, projectID, userID string, keys []string) ([]string, error)
	// Search finds the passages of these documents that fit a question best: the best first, at
	// most limit.
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// maxPassages is how many passages a prompt has at most.
const maxPassages = 10

const noDocuments = "this service has no documents"

// library is what a turn searches.
type library struct {
	keys []string
	// alone reports whether the answer must come only from the documents.
	alone bool
	// cited reports whether the model is asked to mark the passages that it cites.
	cited bool
}

func (l *library) asksForMarks() bool { return l != nil && l.cited }

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
func (s *Service) chooseDocuments(ctx context.Context, a asking) (*library, error) {
	use, named, alone := a.options.UseKnowledgebase, a.options.DocumentKeys, a.manner() == wire.AgentDocument
	if s.config.Knowledge == nil {
		return nil, refuseDocuments(a.options)
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
		chat, err := s.config.Store.Chat(ctx, a.scope, a.question.ChatID)
		if err != nil {
			return nil, err
		}
		named = chat.DocumentKeys
	}
	if named == nil && use == nil && !alone {
		return nil, nil
	}
	if named == nil {
		named = a.agent.Documents
	}
	keys, err := s.config.Knowledge.Usable(ctx, a.scope.ProjectID, a.scope.UserID, named)
	return &library{keys: keys, alone: alone, cited: s.config.Structured && a.options.ExampleJSON == ""}, err
}

// refuseDocuments refuses options that ask for documents if the service has none.
func refuseDocuments(options Options) error {
	switch {
	case options.DocumentKeys != nil:
		return Disabled(wire.FieldDocumentKeys, noDocuments)
	case options.UseKnowledgebase != nil && *options.UseKnowledgebase:
		return Disabled(wire.FieldUseKnowledgebase, noDocuments)
	}
	return nil
}

// manner is the kind of this answer.
func (a asking) manner() string {
	if a.options.AgentType != "" {
		return a.options.AgentType
	}
	return a.agent.manner()
}

// lookUp searches the documents of a turn, and separately for the question alone if own is true.
// It tells the readers of the stream.
func (s *Service) lookUp(t *turn, query string, own bool) (passages []search.Hit, err error) {
	if t.library == nil {
		return nil, nil
	}
	if err := s.tell(t, Piece{Lookup: t.library.looking()}); err != nil {
		return nil, err
	}
	err = s.logs.Patiently(t.ctx, func() (err error) {
		passages, err = s.config.Knowledge.Search(t.ctx, query, t.library.keys, maxPassages)
		if err != nil || !own {
			return err
		}
		alone, err := s.config.Knowledge.Search(t.ctx, t.question.Content, t.library.keys, ownPassages)
		passages = withOwn(passages, alone)
		return err
	})
	return passages, err
}

func (l *library) looking() string {
	switch n := len(l.keys); n {
	case 0:
		return "There are no documents to look in"
	case 1:
		return "Looking in one document"
	default:
		return fmt.Sprintf("Looking in %d documents", n)
	}
}

// addPassages adds the passages that fit into room to a prompt, and returns how many tokens they
// take.
func (l *library) addPassages(p *Prompt, passages []search.Hit, room int) int {
	if l == nil {
		return 0
	}
	hits, searched := passages, len(p.Results) > 0
	for len(hits) > 0 && tokens(l.section(hits, false, searched)) > room {
		hits = hits[:len(hits)-1]
	}
	crowded := len(hits) == 0 && len(passages) > 0
	section := l.section(hits, crowded, searched)
	p.Passages, p.FromDocuments, p.Crowded = append([]search.Hit{}, hits...), l.alone, crowded
	p.System = joined(p.System, section)
	return tokens(section)
}

// snippetRunes is how long the snippet of a source is at most.
const snippetRunes = 300

// Source returns the source of an answer for a passage.
func Source(hit search.Hit) wire.Source {
	snippet := hit.Text
	if utf8.RuneCountInString(snippet) > snippetRunes {
		snippet = string([]rune(snippet)[:snippetRunes-1]) + "…"
	}
	return wire.Source{
		DocumentKey: hit.Key, Title: hit.Title, Snippet: snippet, Score: hit.Score,
		PassageID: hit.PassageID(), Start: hit.Start, End: hit.End,
	}
}

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

// Knowledge are the documents of a project and its users.
type Knowledge interface {
	// Usable gives those of keys whose documents answers to a user may draw on,
	// once each and in their order; of nil, all of them. An empty userID is an
	// API key that acts for nobody.
	Usable(ctx context.Context, projectID, userID string, keys []string) ([]string, error)
	// Search finds the passages of these documents that fit a question best,
	// the best first and at most limit.
	Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error)
}

// maxPassages is how many passages stand in a prompt at most.
const maxPassages = 10

const noDocuments = "this service has no documents"

// library is what a turn draws on.
type library struct {
	keys []string
	// alone tells that the answer comes from the documents alone.
	alone bool
	// cited tells that the model is asked to cite passages by marks.
	cited bool
}

func (l *library) asksForMarks() bool { return l != nil && l.cited }

var errNoDocument = &fault.Error{Code: wire.CodeNotFound, Message: "Document not found", Fields: []string{wire.FieldDocumentKeys}}

// documentKeys gives keys once each, in their order, and refuses too many. Nil
// and empty stay what they are.
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
			Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("document_keys are %d, want at most %d", len(once), limit),
			Fields: []string{wire.FieldDocumentKeys},
		}
	}
	return once, nil
}

// checkDocuments refuses keys whose documents the scope may not draw on. Which
// of them there are elsewhere is not told.
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

// chooseDocuments decides what is searched for an answer, nil for nothing: the documents that the message
// names, else those of the chat, else the agent's, else all that may be used.
// Naming them in the message or the chat turns the search on, and so does the
// manner of the document agent. What a chat, an agent or an earlier message
// names and is there no more is passed over.
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

// refuseDocuments refuses options that ask for documents if there are none.
func refuseDocuments(options Options) error {
	switch {
	case options.DocumentKeys != nil:
		return Disabled(wire.FieldDocumentKeys, noDocuments)
	case options.UseKnowledgebase != nil && *options.UseKnowledgebase:
		return Disabled(wire.FieldUseKnowledgebase, noDocuments)
	}
	return nil
}

// manner is the manner of this answer.
func (a asking) manner() string {
	if a.options.AgentType != "" {
		return a.options.AgentType
	}
	return a.agent.manner()
}

// lookUp searches the documents of a turn, for the question alone too if own tells so, and tells its readers.
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

// addPassages puts what was found into a prompt, as far as room holds it, and
// tells what that takes.
func (l *library) addPassages(p *Prompt, passages []search.Hit, room int) int {
	if l == nil {
		return 0
	}
	hits := passages
	for len(hits) > 0 && tokens(l.section(hits, false)) > room {
		hits = hits[:len(hits)-1]
	}
	crowded := len(hits) == 0 && len(passages) > 0
	section := l.section(hits, crowded)
	p.Passages, p.FromDocuments, p.Crowded = append([]search.Hit{}, hits...), l.alone, crowded
	p.System = joined(p.System, section)
	return tokens(section)
}

// snippetRunes is what a source shows of a passage.
const snippetRunes = 300

// Source is a passage as the source of an answer.
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

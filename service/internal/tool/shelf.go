package tool

import (
	order "container/list"
	"log/slog"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	// shelfBytes is how much the parameters of all tools on a Shelf have together. A schema takes up to
	// a hundred times its text.
	shelfBytes = 256 << 10
	// compiledAtOnce is how many definitions are compiled at the same time. Each takes milliseconds.
	compiledAtOnce = 2
	// toldMost is how many definitions are told about in the log.
	toldMost = 100
)

// Shelf keeps what definitions of pages were compiled to, by their digests, so that a page's tool is
// compiled once and not with each message, round and decision. It is safe for concurrent use. A nil
// Shelf keeps nothing, and tells nobody about patterns that are not checked.
type Shelf struct {
	log   *slog.Logger
	slots chan struct{}

	mu     sync.Mutex
	places map[string]*order.Element // of *shelved, by digest
	newest *order.List
	bytes  int
	told   map[string]bool
}

type shelved struct {
	digest string
	bytes  int
	schema compiled
}

// NewShelf makes an empty Shelf.
func NewShelf(log *slog.Logger) *Shelf {
	return &Shelf{
		log: log, slots: make(chan struct{}, compiledAtOnce), places: map[string]*order.Element{}, newest: order.New(), told: map[string]bool{},
	}
}

// tool makes the tool of a page's canonical definition.
func (s *Shelf) tool(d Definition) (*Tool, error) {
	digest := d.Digest()
	schema, err := s.schema(d, digest)
	if err != nil {
		return nil, d.invalid("parameters", "%v", err)
	}
	return &Tool{Definition: d, schema: schema, digest: digest}, nil
}

func (s *Shelf) schema(d Definition, digest string) (compiled, error) {
	if s == nil {
		return compile(d.Parameters, d.Kind, stranger)
	}
	if one, ok := s.find(digest); ok {
		return one, nil
	}
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	if one, ok := s.find(digest); ok { // somebody else has compiled it meanwhile
		return one, nil
	}
	one, err := compile(d.Parameters, d.Kind, stranger)
	if err == nil {
		s.put(d, digest, one)
	}
	return one, err
}

func (s *Shelf) find(digest string) (compiled, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	place, ok := s.places[digest]
	if !ok {
		return compiled{}, false
	}
	s.newest.MoveToFront(place)
	return place.Value.(*shelved).schema, true
}

// put keeps a schema, and forgets those that nobody has asked for the longest.
func (s *Shelf) put(d Definition, digest string, schema compiled) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, has := s.places[digest]; has {
		return
	}
	one := &shelved{digest, len(d.Parameters) + len(schema.checked), schema}
	s.places[digest] = s.newest.PushFront(one)
	for s.bytes += one.bytes; s.bytes > shelfBytes; {
		last := s.newest.Remove(s.newest.Back()).(*shelved)
		delete(s.places, last.digest)
		s.bytes -= last.bytes
	}
	if schema.unchecked != "" && !s.told[digest] && len(s.told) < toldMost {
		s.told[digest] = true
		s.log.Warn("a pattern of a page's tool is not checked: "+schema.unchecked, "tool", d.Name, "digest", digest)
	}
}

// Offered makes the tool with this name that a page offered. The page's other tools need not be
// valid.
func (s *Shelf) Offered(pageTools wire.JSON, name string) (*Tool, error) {
	definition, err := entryOf(pageTools, name)
	if err != nil {
		return nil, err
	}
	return s.pageTool(name, definition)
}

func (s *Shelf) pageTool(name string, definition wire.JSON) (*Tool, error) {
	d, err := pageDefinition(name, definition)
	if err != nil {
		return nil, err
	}
	return s.tool(d)
}

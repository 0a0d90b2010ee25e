package router

import (
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/agent/anthropic"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Opened is a provider that can be asked. Whoever opened it closes it.
type Opened interface {
	answering.Provider
	Close()
}

// kinds are the APIs that are spoken, by their names in the file of providers.
var kinds = map[string]func(upstream.Config) (Opened, error){
	"anthropic": func(c upstream.Config) (Opened, error) { return anthropic.New(c) },
	"openai":    func(c upstream.Config) (Opened, error) { return openai.New(c) },
}

// Kinds returns the names of the APIs that are spoken.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Open makes a provider of a kind, and sends nothing yet. An error names the wrong field, and has no part of the key.
func Open(kind string, c upstream.Config) (Opened, error) { return kinds[kind](c) }

package router

import (
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/agent/anthropic"
	"github.com/chatsdk/chatsdk/service/internal/agent/gemini"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/agent/responses"
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
	"anthropic":        func(c upstream.Config) (Opened, error) { return anthropic.New(c) },
	"gemini":           func(c upstream.Config) (Opened, error) { return gemini.New(c) },
	"openai":           func(c upstream.Config) (Opened, error) { return openai.New(c) },
	"openai-responses": func(c upstream.Config) (Opened, error) { return responses.New(c) },
}

// addresses are where the kinds are asked if nothing else is said.
var addresses = map[string]string{
	"anthropic":        "https://api.anthropic.com",
	"gemini":           "https://generativelanguage.googleapis.com",
	"openai":           "https://api.openai.com/v1",
	"openai-responses": "https://api.openai.com/v1",
}

// Address returns where a kind is asked if nothing else is said.
func Address(kind string) string { return addresses[kind] }

// Kinds returns the names of the APIs that are spoken.
func Kinds() []string { return slices.Sorted(maps.Keys(kinds)) }

// Open makes a provider of a kind, and sends nothing yet. An error names the wrong field, and has no part of the key.
func Open(kind string, c upstream.Config) (Opened, error) { return kinds[kind](c) }

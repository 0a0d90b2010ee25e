package openai

import (
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// parameters say how a model is asked.
type parameters struct {
	Temperature *float64 `json:"temperature,omitempty"`
	TopP        *float64 `json:"top_p,omitempty"`
	// MaxTokens is the name that most servers know. A server that refuses it gets max_completion_tokens.
	MaxTokens int      `json:"max_tokens,omitempty"`
	Effort    string   `json:"reasoning_effort,omitempty"`
	Stop      []string `json:"stop,omitempty"`
	Seed      *int64   `json:"seed,omitempty"`
	// More are further members.
	More           map[string]any    `json:"-"`
	Headers, Query map[string]string `json:"-"`
}

func parametersOf(p answering.Parameters) parameters {
	return parameters{Temperature: p.Temperature, TopP: p.TopP, MaxTokens: p.MaxOutputTokens, Effort: p.ReasoningEffort, Stop: p.Stop, Seed: p.Seed,
		More: p.Body, Headers: p.Headers, Query: p.Query}
}

const (
	maxTokens           = "max_tokens"
	maxCompletionTokens = "max_completion_tokens"
)

// more returns the further members. None of them stands for one that is needed.
func (p parameters) more() map[string]any {
	more := maps.Clone(p.More)
	maps.DeleteFunc(more, func(name string, _ any) bool { return name == "messages" || slices.Contains(needed, name) })
	return more
}

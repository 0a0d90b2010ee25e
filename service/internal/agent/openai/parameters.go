package openai

import (
	"encoding/json"
	"slices"
	"strings"

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

// add adds the further members, none of which replaces one, and the length of the answer under the name that the
// server takes.
func (p parameters) add(members map[string]json.RawMessage, refused []string) error {
	for name, value := range p.More {
		if members[name] != nil || name == "messages" || slices.Contains(needed, name) {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		members[name] = text
	}
	if text := members[maxTokens]; text != nil && slices.Contains(refused, maxTokens) {
		members[maxCompletionTokens] = text
	}
	return nil
}

// headers returns the headers of a request with a key. The key's is ours.
func (p parameters) headers(key string) map[string]string {
	const ours = "Authorization"
	all := map[string]string{}
	for name, value := range p.Headers {
		if !strings.EqualFold(name, ours) {
			all[name] = value
		}
	}
	if key != "" {
		all[ours] = "Bearer " + key
	}
	return all
}

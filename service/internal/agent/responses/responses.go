// Package responses asks a model through OpenAI's Responses API, or through any endpoint that speaks it. Begin with New.
//
// OpenAI stores nothing of what is asked: what a model wants back with the outcomes of its calls is kept with the round.
// OpenAI's own library is not used, for the reasons of package openai.
package responses

import (
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Config is an endpoint and how to reach it. The API key is sent as a Bearer token.
type Config = upstream.Config

// New makes a provider and sends nothing yet; see upstream.Provider.
func New(config Config) (*upstream.Provider, error) {
	return upstream.Kind{Name: "openai-responses", Ask: ask, Read: read, Returned: []string{"encrypted content", "encrypted_content", "reasoning"}}.New(config)
}

// ask returns the request that asks for an answer to a prompt.
func ask(c *upstream.Client, prompt answering.Prompt, refused []string) (asked upstream.Asked, err error) {
	asked.Path = []string{"responses"}
	asked.Body, err = bodyOf(prompt).payload(prompt, refused)
	ours := map[string]string{}
	if c.Key != "" {
		ours["Authorization"] = "Bearer " + c.Key
	}
	asked.Header, asked.Query = upstream.Over(prompt.Parameters.Headers, ours), prompt.Parameters.Query
	asked.Spare = slices.AppendSeq([]string{"include", "reasoning", "reasoning.summary", "temperature", "top_p"}, maps.Keys(prompt.Parameters.Body))
	for what, isLeft := range map[string]bool{"stop": prompt.Parameters.Stop != nil, "seed": prompt.Parameters.Seed != nil} {
		if isLeft {
			asked.LeftOut = append(asked.LeftOut, what)
		}
	}
	return asked, err
}

func read(r *upstream.Reading) (take func(upstream.Event) (bool, error), made func(bool) upstream.Made) {
	a := answer{Reading: r, items: map[int]*item{}}
	return a.take, a.made
}

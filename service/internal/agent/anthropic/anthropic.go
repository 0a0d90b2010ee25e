// Package anthropic asks a model through Anthropic's Messages API, or through any endpoint that speaks it. Begin with New.
//
// Anthropic's own library is not used: it would add 5 MB to the service, warns on standard error, and takes a
// connection that closes in the middle of an answer for the answer's end. Tests read with it what this package reads.
package anthropic

import (
	"maps"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Config is an endpoint and how to reach it. Its address is that to which /v1/messages is appended, or ends with /v1. The
// API key is sent as x-api-key.
type Config = upstream.Config

// version is that of the API. Later ones refuse temperature and top_p of every model.
const version = "2023-06-01"

// New makes a provider and sends nothing yet; see upstream.Provider.
func New(config Config) (*upstream.Provider, error) {
	return upstream.Kind{Name: "anthropic", Ask: ask, Read: read, Returned: []string{"thinking", "redacted_thinking", "signature"}}.New(config)
}

// marks stands for all marks for the cache, which some gateways refuse.
const marks = "cache_control"

// ask returns the request that asks for an answer to a prompt.
func ask(c *upstream.Client, prompt answering.Prompt, refused []string) (asked upstream.Asked, err error) {
	b := bodyOf(prompt)
	if slices.Contains(refused, marks) {
		b.unmark()
	}
	asked.Body, err = b.payload(prompt, refused)
	asked.Path = []string{"v1", "messages"}
	if strings.HasSuffix(strings.TrimSuffix(c.Base.Path, "/"), "/v1") {
		asked.Path = asked.Path[1:]
	}
	ours := map[string]string{"anthropic-version": version}
	if c.Key != "" {
		ours["x-api-key"] = c.Key
	}
	asked.Header, asked.Query = upstream.Over(prompt.Parameters.Headers, ours), prompt.Parameters.Query
	asked.LeftOut = b.leftOut
	asked.Spare = slices.AppendSeq([]string{marks, "thinking", "output_config", "temperature", "top_p", "stop_sequences"}, maps.Keys(prompt.Parameters.Body))
	return asked, err
}

func read(r *upstream.Reading) (take func(upstream.Event) (bool, error), made func(bool) upstream.Made) {
	a := answer{Reading: r, blocks: map[int]*block{}}
	return a.take, a.made
}

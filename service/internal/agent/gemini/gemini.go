// Package gemini asks a model through Gemini's API (generateContent), or through any endpoint that speaks it. Begin with New.
//
// Google's own library is not used: it brings gRPC and OpenCensus into the service, reads GOOGLE_* and GEMINI_* variables,
// and takes a connection that closes in the middle of an answer for the answer's end. Tests read with it what this package
// reads.
package gemini

import (
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Config is an endpoint and how to reach it. Its address is that to which /v1beta/models/… is appended, or has a version in
// its path. The API key is sent as x-goog-api-key.
type Config = upstream.Config

// New makes a provider and sends nothing yet; see upstream.Provider.
func New(config Config) (*upstream.Provider, error) {
	return upstream.Kind{Name: "gemini", Ask: ask, Read: read, Returned: []string{"thought_signature", "thoughtSignature", "thought signature"}}.New(config)
}

// version is found in the path of an address that names the version of the API.
var version = regexp.MustCompile(`/v\d+((alpha|beta)\d*)?(/|$)`)

// ask returns the request that asks for an answer to a prompt.
func ask(c *upstream.Client, prompt answering.Prompt, refused []string) (asked upstream.Asked, err error) {
	b := bodyOf(prompt, refused)
	if asked.Body, err = b.payload(prompt, refused); err != nil {
		return asked, err
	}
	if !version.MatchString(c.Base.Path) {
		asked.Path = []string{"v1beta"}
	}
	asked.Path = append(asked.Path, pathOf(prompt.Model)...)
	key := map[string]string{}
	if c.Key != "" {
		key["X-Goog-Api-Key"] = c.Key
	}
	asked.Header, asked.Query = upstream.Over(prompt.Parameters.Headers, key), upstream.Over(prompt.Parameters.Query, map[string]string{"alt": "sse"})
	asked.LeftOut = leftOut(prompt)
	asked.Spare = slices.Collect(maps.Keys(prompt.Parameters.Body))
	for _, one := range b.spares() {
		asked.Spare = append(asked.Spare, one.words...)
	}
	return asked, nil
}

// pathOf returns where a model is asked. Its name may have its collection before it, and is one segment in any case.
func pathOf(model string) []string {
	collection := "models"
	if before, after, isCut := strings.Cut(model, "/"); isCut && (before == collection || before == "tunedModels") {
		collection, model = before, after
	}
	return []string{collection, url.PathEscape(model) + ":streamGenerateContent"}
}

// leftOut returns the parameters of a prompt that its model does not take, or not wholly.
func leftOut(prompt answering.Prompt) (all []string) {
	if prompt.Parameters.ReasoningEffort != "" && thinkingOf(prompt) == nil {
		all = append(all, "reasoning_effort")
	}
	if len(prompt.Parameters.Stop) > mostStops {
		all = append(all, "stop")
	}
	return all
}

func read(r *upstream.Reading) (take func(upstream.Event) (bool, error), made func(bool) upstream.Made) {
	a := answer{Reading: r, ids: map[string]bool{}}
	return a.take, a.made
}

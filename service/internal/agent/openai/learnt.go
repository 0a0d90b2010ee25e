package openai

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// system stands for messages of this role among what a model's server refuses.
const system = "system"

// needed are the members of a request that no server can do without, or that an answer cannot.
var needed = []string{"model", "stream", "tools", "response_format"}

// optional returns the names of what a server may refuse of a request.
func (c completion) optional() (names []string) {
	head, _ := c.head() // what cannot be encoded was not sent
	for name := range head {
		if !slices.Contains(needed, name) {
			names = append(names, name)
		}
	}
	if len(c.Messages) > 0 && c.Messages[0].Role == system {
		names = append(names, system)
	}
	names = append(names, c.returns()...)
	slices.Sort(names)
	return slices.Compact(names)
}

// head returns the members of a request beside its messages.
func (c completion) head() (members map[string]json.RawMessage, err error) {
	data, err := upstream.Merge(c, c.more())
	if err == nil {
		err = json.Unmarshal(data, &members)
	}
	if text := members[maxTokens]; text != nil && slices.Contains(c.Refused, maxTokens) {
		members[maxCompletionTokens] = text // its other name
	}
	maps.DeleteFunc(members, func(name string, _ json.RawMessage) bool { return slices.Contains(c.Refused, name) })
	return members, err
}

// change returns the request that leaves out what a provider objects to, as do all later ones to this model; ok is
// false if it could not do without.
func (p *Provider) change(body completion, objection upstream.Objection) (next upstream.Request, ok bool) {
	var names, told []string
	for _, name := range body.optional() {
		isMeant := objection.To(name) && objection.What != answering.RefusedLength
		if name == system {
			isMeant = objection.ToSystem()
		}
		if isMeant && !slices.Contains(body.Refused, name) {
			names, told = append(names, name), append(told, p.privy(body).Identifier(upstream.Token(name)))
		}
	}
	if len(names) == 0 {
		return next, false
	}
	p.learnt.Add(body.Model, names)
	p.client.Log.Info("the model's provider refuses a part of a request, which is left out from now on", "model", body.Model, "refused", told)
	body.Refused = append(slices.Clone(body.Refused), names...)
	next, err := p.sent(body)
	return next, err == nil
}

package router

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Catalog says which providers there are, and what is known of their models.
type Catalog struct {
	// Listed are the providers. The first one has the models whose names name none.
	Listed []Listed
	// Whole says that a name never begins with that of a provider.
	Whole bool
}

// Listed is a provider with what is known of its models.
type Listed struct {
	// Name has no "/".
	Name string
	// Parameters are those of all its models.
	Parameters answering.Parameters
	// Models are all that may be asked; empty means any.
	Models []Model
}

// Model is what is known of a model.
type Model struct {
	// Name is its name at its provider.
	Name       string
	Abilities  answering.Abilities
	Parameters answering.Parameters
	// NoReasoning says that it can be told nothing about reasoning.
	NoReasoning bool
	Prices      Prices
}

// Prices are what a million tokens cost, in whatever currency; 0 is free. Cached tokens are not counted as input.
type Prices struct{ Input, Cached, Output float64 }

// Find returns the provider of a model and the model. The part of a name before its first "/" is a provider if there
// is one of that name; otherwise the whole is a model of the first. isListed is false for a model that may not be asked.
func (c Catalog) Find(name string) (provider Listed, model Model, isListed bool) {
	if len(c.Listed) == 0 {
		return provider, Model{Name: name}, false
	}
	provider = c.Listed[0]
	before, after, isCut := strings.Cut(name, "/")
	at := slices.IndexFunc(c.Listed, func(one Listed) bool { return one.Name == before })
	if isCut && at >= 0 && !c.Whole {
		provider, name = c.Listed[at], after
	}
	for _, one := range provider.Models {
		if one.Name == name {
			return provider, one, true
		}
	}
	return provider, Model{Name: name}, len(provider.Models) == 0
}

// IsSame reports whether two names are of one model.
func (c Catalog) IsSame(one, other string) bool {
	if one == other {
		return true
	}
	provider, model, _ := c.Find(one)
	second, also, _ := c.Find(other)
	return provider.Name == second.Name && model.Name == also.Name
}

// Abilities returns what an agent's model can do. An agent that asks for shorter answers needs less room for them.
func (c Catalog) Abilities(agent answering.Agent, name string) answering.Abilities {
	provider, model, _ := c.Find(name)
	abilities := model.Abilities
	most := provider.Parameters.With(model.Parameters).With(agent.Parameters).MaxOutputTokens
	if most > 0 && (abilities.OutputTokens == 0 || most < abilities.OutputTokens) {
		abilities.OutputTokens = most
	}
	return abilities
}

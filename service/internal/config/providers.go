package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/agent/router"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// providersFile is the YAML file of PROVIDERS.
type providersFile struct {
	Providers []providerEntry `yaml:"providers"`
}

type providerEntry struct {
	Name       string          `yaml:"name"`
	Kind       string          `yaml:"kind"`
	URL        string          `yaml:"url"`
	KeyEnv     string          `yaml:"key_env"`
	KeyFile    string          `yaml:"key_file"`
	Headers    map[string]any  `yaml:"headers"`
	Query      map[string]any  `yaml:"query"`
	Parameters parametersEntry `yaml:"parameters"`
	Models     []modelEntry    `yaml:"models"`
}

type modelEntry struct {
	Name            string          `yaml:"name"`
	Window          *int            `yaml:"window"`
	MaxOutputTokens *int            `yaml:"max_output_tokens"`
	Images          *int            `yaml:"images"`
	ImageBytes      *int            `yaml:"image_bytes"`
	Tools           *bool           `yaml:"tools"`
	AlternateRoles  bool            `yaml:"alternate_roles"`
	Reasoning       *bool           `yaml:"reasoning"`
	Vocabulary      string          `yaml:"vocabulary"`
	Parameters      parametersEntry `yaml:"parameters"`
	Prices          *struct {
		Input  float64  `yaml:"input"`
		Cached *float64 `yaml:"cached"`
		Output float64  `yaml:"output"`
	} `yaml:"prices"`
}

// Providers are the providers that models are asked at, the first one for names that name none. The zero value is for
// a service without a model.
type Providers struct {
	All     []Provider
	Catalog router.Catalog
	// Model is asked if neither the message nor the agent names one. Models are others that a message may name.
	Model  string
	Models []string
}

// Provider says how to reach a provider.
type Provider struct {
	Name, Kind, URL, Key string
	// Headers and Query go with each request.
	Headers, Query map[string]string
	// where begins errors about its address or its key.
	where string
}

// Wrong is an error of the provider's address or key, with their place.
func (p Provider) Wrong(err error) error { return fmt.Errorf("%s: %w", p.where, err) }

// ReadProviders returns the providers of the file, or the one of OPENAI_BASE_URL and OPENAI_API_KEY. Keys come from env
// and from files.
func ReadProviders(s *Settings, env Lookup) (Providers, error) {
	providers := Providers{Model: s.Model, Models: s.Models}
	switch {
	case !s.HasProvider():
		return Providers{}, nil
	case s.ProvidersFile == "":
		one := Provider{Name: "openai", Kind: "openai", URL: s.OpenAIURL, Key: s.OpenAIKey, where: "OPENAI_BASE_URL, OPENAI_API_KEY"}
		if one.URL == "" {
			one.URL = router.Address(one.Kind)
		}
		providers.All, providers.Catalog = []Provider{one}, router.Catalog{Whole: true, Listed: []router.Listed{{Name: one.Name}}}
		return providers, nil
	}
	if err := providers.read(s.ProvidersFile, env); err != nil {
		return Providers{}, err
	}
	if first := providers.Catalog.Listed[0]; providers.Model == "" && len(first.Models) > 0 {
		providers.Model = first.Name + "/" + first.Models[0].Name
	}
	if providers.Model == "" && s.AgentsFile == "" {
		return Providers{}, errors.New("MODEL is not set, and the first provider of PROVIDERS lists no models; name the model to ask")
	}
	for _, name := range slices.Concat([]string{providers.Model}, providers.Models) {
		if err := providers.check(name); err != nil {
			return Providers{}, fmt.Errorf("MODEL: %w", err)
		}
	}
	return providers, nil
}

// read reads the file.
func (p *Providers) read(path string, env Lookup) error {
	file, text, err := readYAML[providersFile]("PROVIDERS", path)
	if err != nil {
		return err
	}
	if len(file.Providers) == 0 {
		return fmt.Errorf("%s has no providers", text.name)
	}
	for i, entry := range file.Providers {
		item, what := fmt.Sprintf("providers[%d]", i), fmt.Sprintf("provider %d", i+1)
		isTaken := slices.ContainsFunc(p.All, func(one Provider) bool { return one.Name == entry.Name })
		if isTaken {
			return text.wrong(item, what, &misplaced{"name", fmt.Errorf("name %q occurs twice", entry.Name)})
		}
		one, listed, wrong := entry.read(env)
		if wrong != nil {
			return text.wrong(item, what, wrong)
		}
		one.where = fmt.Sprintf("%s: %s%s: url, key_env, key_file", text.name, text.position(item, "url"), what)
		p.All, p.Catalog.Listed = append(p.All, one), append(p.Catalog.Listed, listed)
	}
	return nil
}

// check refuses the name of a model that its provider doesn't list.
func (p Providers) check(name string) error {
	provider, model, isListed := p.Catalog.Find(name)
	if name == "" || isListed {
		return nil
	}
	var known []string
	for _, one := range provider.Models {
		known = append(known, one.Name)
	}
	return fmt.Errorf("the model %q is not listed: provider %q has no %q, want one of %s", name, provider.Name, model.Name, strings.Join(known, ", "))
}

var providerName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// read checks a provider.
func (e providerEntry) read(env Lookup) (one Provider, listed router.Listed, wrong *misplaced) {
	switch {
	case !providerName.MatchString(e.Name):
		return one, listed, &misplaced{"name", fmt.Errorf("name is %q, want 1 to 64 letters, digits, dots, dashes and underscores, such as openai", e.Name)}
	case !slices.Contains(router.Kinds(), e.Kind):
		return one, listed, &misplaced{"kind", fmt.Errorf("kind is %q, want %s", e.Kind, strings.Join(router.Kinds(), ", "))}
	}
	one = Provider{Name: e.Name, Kind: e.Kind, URL: e.URL}
	if one.URL == "" {
		one.URL = router.Address(e.Kind)
	}
	if one.Key, wrong = e.key(env); wrong != nil {
		return one, listed, wrong
	}
	listed = router.Listed{Name: e.Name}
	if one.Headers, wrong = headers(env, e.Headers); wrong != nil {
		return one, listed, wrong
	}
	if one.Query, wrong = query(env, e.Query); wrong != nil {
		return one, listed, wrong
	}
	if listed.Parameters, wrong = e.Parameters.parameters(env); wrong != nil {
		return one, listed, wrong.below("parameters")
	}
	for i, entry := range e.Models {
		place := fmt.Sprintf("models[%d]", i)
		model, wrong := entry.read(env)
		if wrong == nil && slices.ContainsFunc(listed.Models, func(other router.Model) bool { return other.Name == model.Name }) {
			wrong = &misplaced{"name", fmt.Errorf("name %q occurs twice", model.Name)}
		}
		if wrong != nil {
			wrong.err = fmt.Errorf("model %d: %w", i+1, wrong.err)
			return one, listed, wrong.below(place)
		}
		listed.Models = append(listed.Models, model)
	}
	return one, listed, nil
}

// keyBytes is more than any key has.
const keyBytes = 16 << 10

// key reads the provider's key; empty is for one that wants none. No error has any of it.
func (e providerEntry) key(env Lookup) (key string, wrong *misplaced) {
	field, err := "key_env", error(nil)
	switch {
	case e.KeyEnv != "" && e.KeyFile != "":
		return "", &misplaced{"key_file", errors.New("key_env and key_file are both set, want one of them")}
	case e.KeyEnv != "":
		key, err = secretOf(env, "key_env", e.KeyEnv)
	case e.KeyFile != "":
		field = "key_file"
		var content []byte
		content, err = readAtMost(e.KeyFile, keyBytes)
		key = strings.TrimSpace(string(content))
		if err != nil || key == "" {
			err = errors.Join(errors.New("key_file: want a file that holds the key"), err)
		}
	}
	if err == nil && strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		err = fmt.Errorf("%s: the key holds a space, a line end or another character that no key has; check its beginning and end", field)
	}
	if err != nil {
		return "", &misplaced{field, err}
	}
	return key, nil
}

// read checks a model.
func (e modelEntry) read(env Lookup) (model router.Model, wrong *misplaced) {
	model = router.Model{Name: e.Name, NoReasoning: e.Reasoning != nil && !*e.Reasoning}
	can := &model.Abilities
	can.NoTools, can.Alternates, can.Vocabulary = e.Tools != nil && !*e.Tools, e.AlternateRoles, e.Vocabulary
	if err := checkModelName(e.Name); err != nil {
		return model, &misplaced{"name", err}
	}
	if e.Vocabulary != "" && !slices.Contains(answering.Vocabularies(), e.Vocabulary) {
		return model, &misplaced{"vocabulary", fmt.Errorf("vocabulary is %q, want one of %s", e.Vocabulary, strings.Join(answering.Vocabularies(), ", "))}
	}
	if can.Window, wrong = tokens("window", e.Window); wrong != nil {
		return model, wrong
	}
	if can.OutputTokens, wrong = tokens("max_output_tokens", e.MaxOutputTokens); wrong != nil {
		return model, wrong
	}
	if wrong = e.readImages(can); wrong != nil {
		return model, wrong
	}
	if model.Parameters, wrong = e.Parameters.parameters(env); wrong != nil {
		return model, wrong.below("parameters")
	}
	switch {
	case can.Window > 0 && can.OutputTokens >= can.Window:
		return model, &misplaced{"max_output_tokens", fmt.Errorf("max_output_tokens is %d, want less than the window of %d", can.OutputTokens, can.Window)}
	case can.OutputTokens > 0 && model.Parameters.MaxOutputTokens > can.OutputTokens:
		return model, &misplaced{"parameters.max_output_tokens",
			fmt.Errorf("parameters: max_output_tokens is %d, and the model has at most %d", model.Parameters.MaxOutputTokens, can.OutputTokens)}
	case model.NoReasoning && model.Parameters.ReasoningEffort != "":
		return model, &misplaced{"parameters.reasoning_effort", errors.New("parameters: reasoning_effort is set for a model with reasoning: false")}
	}
	model.Prices, wrong = e.prices()
	return model, wrong
}

// mostImages is how many images, and mostImageBytes how many bytes of them, a request may have at any provider.
const (
	mostImages     = 10_000
	mostImageBytes = 1 << 30
)

func (e modelEntry) readImages(can *answering.Abilities) *misplaced {
	switch {
	case e.Images != nil && (*e.Images < 0 || *e.Images > mostImages):
		return &misplaced{"images", fmt.Errorf("images is %d, want 0 for none, or how many a request may have, up to %d", *e.Images, mostImages)}
	case e.ImageBytes != nil && (*e.ImageBytes < 1 || *e.ImageBytes > mostImageBytes):
		return &misplaced{"image_bytes", fmt.Errorf("image_bytes is %d, want how many bytes the images of a request may have together, 1 to %d",
			*e.ImageBytes, mostImageBytes)}
	}
	if e.Images != nil {
		can.Images = *e.Images
		if can.Images == 0 {
			can.Images = answering.NoImages
		}
	}
	if e.ImageBytes != nil {
		can.ImageBytes = *e.ImageBytes
	}
	return nil
}

// prices reads the prices. Cached tokens cost as much as others if nothing else is said.
func (e modelEntry) prices() (prices router.Prices, wrong *misplaced) {
	if e.Prices == nil {
		return prices, nil
	}
	prices = router.Prices{Input: e.Prices.Input, Cached: e.Prices.Input, Output: e.Prices.Output}
	if e.Prices.Cached != nil {
		prices.Cached = *e.Prices.Cached
	}
	for name, price := range map[string]float64{"input": prices.Input, "cached": prices.Cached, "output": prices.Output} {
		if !(price >= 0 && price <= 1e6) {
			return prices, &misplaced{"prices." + name, fmt.Errorf("prices: %s is %v, want what a million tokens cost, 0 to 1000000", name, price)}
		}
	}
	return prices, nil
}

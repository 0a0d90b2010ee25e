package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// parametersEntry says how a model is asked: of a provider, a model or an agent.
type parametersEntry struct {
	Temperature     *float64       `yaml:"temperature"`
	TopP            *float64       `yaml:"top_p"`
	MaxOutputTokens *int           `yaml:"max_output_tokens"`
	ReasoningEffort string         `yaml:"reasoning_effort"`
	Stop            []string       `yaml:"stop"`
	Seed            *int64         `yaml:"seed"`
	Headers         map[string]any `yaml:"headers"`
	Query           map[string]any `yaml:"query"`
	Body            any            `yaml:"body"`
}

// Limits of parameters.
const (
	stopTexts   = 16
	stopBytes   = 1000
	headerBytes = 8 << 10
)

var effort = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)

// parameters checks the entry.
func (e parametersEntry) parameters(env Lookup) (p answering.Parameters, wrong *misplaced) {
	switch {
	case e.Temperature != nil && (*e.Temperature < 0 || *e.Temperature > 2):
		return p, &misplaced{"temperature", fmt.Errorf("temperature is %v, want 0 to 2", *e.Temperature)}
	case e.TopP != nil && (*e.TopP <= 0 || *e.TopP > 1):
		return p, &misplaced{"top_p", fmt.Errorf("top_p is %v, want more than 0 and at most 1", *e.TopP)}
	case e.ReasoningEffort != "" && !effort.MatchString(e.ReasoningEffort):
		return p, &misplaced{"reasoning_effort",
			fmt.Errorf("reasoning_effort is %q, want a word of the provider's, such as low or high, or a number of tokens", e.ReasoningEffort)}
	case len(e.Stop) > stopTexts:
		return p, &misplaced{"stop", fmt.Errorf("stop has %d texts, want at most %d", len(e.Stop), stopTexts)}
	}
	for i, text := range e.Stop {
		if text == "" || len(text) > stopBytes {
			return p, &misplaced{fmt.Sprintf("stop[%d]", i), fmt.Errorf("stop: text %d has %d bytes, want 1 to %d", i+1, len(text), stopBytes)}
		}
	}
	p = answering.Parameters{Temperature: e.Temperature, TopP: e.TopP, ReasoningEffort: e.ReasoningEffort, Stop: e.Stop, Seed: e.Seed}
	if p.MaxOutputTokens, wrong = tokens("max_output_tokens", e.MaxOutputTokens); wrong != nil {
		return p, wrong
	}
	if p.Headers, wrong = headers(env, e.Headers); wrong != nil {
		return p, wrong
	}
	if p.Query, wrong = query(env, e.Query); wrong != nil {
		return p, wrong
	}
	p.Body, wrong = body(e.Body)
	return p, wrong
}

// mostTokens is more than any model has.
const mostTokens = 100_000_000

// tokens checks a number of tokens; nil is 0.
func tokens(field string, given *int) (int, *misplaced) {
	switch {
	case given == nil:
		return 0, nil
	case *given < 1 || *given > mostTokens:
		return 0, &misplaced{field, fmt.Errorf("%s is %d, want a number of tokens from 1 to %d", field, *given, mostTokens)}
	}
	return *given, nil
}

// Headers, query parameters and members of the body that the service or net/http sets, for any kind of provider.
var (
	ourHeaders = regexp.MustCompile(`^(authorization|x-api-key|x-goog-api-key|anthropic-version|content-.*|accept|accept-encoding|host|connection|` +
		`transfer-encoding|trailer|te|upgrade|expect|keep-alive|proxy-.*|cookie)$`)
	ourQuery = []string{"key", "alt"}
	ourBody  = []string{"model", "messages", "stream", "tools", "tool_choice", "response_format", "input", "instructions", "system", "contents",
		"systemInstruction", "temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens",
		"reasoning_effort", "stop", "seed"}
	parameterName = regexp.MustCompile(`^[A-Za-z0-9._~-]{1,100}$`)
)

// headers reads headers. The value of one is a text, or {env: NAME} for a secret.
func headers(env Lookup, given map[string]any) (map[string]string, *misplaced) {
	return texts(env, "headers", given, func(name string) error {
		switch {
		case !isHeaderName(strings.ToLower(name)):
			return fmt.Errorf("%q is not the name of a header, want for example x-team", name)
		case ourHeaders.MatchString(strings.ToLower(name)):
			return fmt.Errorf("%q is set by the service; the key belongs into key_env or key_file", name)
		}
		return nil
	})
}

func query(env Lookup, given map[string]any) (map[string]string, *misplaced) {
	return texts(env, "query", given, func(name string) error {
		switch {
		case !parameterName.MatchString(name):
			return fmt.Errorf("%q is not the name of a parameter, want for example api-version", name)
		case slices.Contains(ourQuery, name):
			return fmt.Errorf("%q is set by the service", name)
		}
		return nil
	})
}

// texts reads a mapping of names to texts.
func texts(env Lookup, field string, given map[string]any, check func(name string) error) (map[string]string, *misplaced) {
	var all map[string]string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		text, err := textOf(env, name, given[name])
		if err := errors.Join(check(name), err); err != nil {
			return nil, &misplaced{field, fmt.Errorf("%s: %w", field, err)}
		}
		if all == nil {
			all = map[string]string{}
		}
		all[name] = text
	}
	return all, nil
}

// textOf reads a text, or the environment variable that {env: NAME} names. A value may be a secret, so errors don't
// repeat it.
func textOf(env Lookup, name string, value any) (text string, err error) {
	switch value := value.(type) {
	case yaml.MapSlice:
		if len(value) != 1 || value[0].Key != "env" {
			return "", fmt.Errorf("%s: want a text, or {env: NAME} with the name of an environment variable", name)
		}
		if text, err = secretOf(env, name, fmt.Sprint(value[0].Value)); err != nil {
			return "", err
		}
	case nil, []any:
		return "", fmt.Errorf("%s: want a text, or {env: NAME} with the name of an environment variable", name)
	default:
		text = fmt.Sprint(value)
	}
	isPlain := !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
	if text == "" || len(text) > headerBytes || !isPlain || strings.TrimSpace(text) != text {
		return "", fmt.Errorf("%s: want a text of 1 to %d printable ASCII characters, without a space at its beginning or end", name, headerBytes)
	}
	return text, nil
}

// body reads members for the JSON of a request.
func body(given any) (map[string]any, *misplaced) {
	if given == nil {
		return nil, nil
	}
	if _, isObject := given.(yaml.MapSlice); !isObject {
		return nil, &misplaced{"body", errors.New("body: want a mapping of names to values")}
	}
	text, err := jsonOf(given)
	if err != nil {
		return nil, &misplaced{"body", fmt.Errorf("body: %w", err)}
	}
	all := map[string]any{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return nil, &misplaced{"body", fmt.Errorf("body: %w", err)}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if slices.Contains(ourBody, name) {
			return nil, &misplaced{"body", fmt.Errorf("body: %q is set by the service; parameters has temperature, top_p, max_output_tokens, "+
				"reasoning_effort, stop and seed", name)}
		}
	}
	return all, nil
}

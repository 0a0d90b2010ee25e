package gemini

import (
	"regexp"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/schema"
	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// body is the body of a request with the members that are used, but for its contents; see
// https://ai.google.dev/api/generate-content.
type body struct {
	SystemInstruction *instruction     `json:"systemInstruction,omitempty"`
	Tools             []tools          `json:"tools,omitempty"`
	ToolConfig        *toolConfig      `json:"toolConfig,omitempty"` // nil means the default, AUTO
	GenerationConfig  generationConfig `json:"generationConfig"`
}

type instruction struct {
	Role  string `json:"role"` // Google's library sends "user"
	Parts []text `json:"parts"`
}

type tools struct {
	FunctionDeclarations []declaration `json:"functionDeclarations"`
}

type declaration struct {
	Name        string    `json:"name"`
	Description string    `json:"description,omitempty"`
	Parameters  wire.JSON `json:"parameters,omitempty"` // nil for none
}

type toolConfig struct {
	FunctionCallingConfig struct {
		Mode string `json:"mode"` // "NONE"
	} `json:"functionCallingConfig"`
}

type generationConfig struct {
	Temperature     *float64        `json:"temperature,omitempty"`
	TopP            *float64        `json:"topP,omitempty"`
	MaxOutputTokens int             `json:"maxOutputTokens,omitempty"`
	StopSequences   []string        `json:"stopSequences,omitempty"`
	Seed            *int64          `json:"seed,omitempty"`
	ThinkingConfig  *thinkingConfig `json:"thinkingConfig,omitempty"`
}

// mostStops is how many stop sequences the API takes.
const mostStops = 5

// bodyOf returns the body that asks for an answer to a prompt, without what its model refused before.
func bodyOf(prompt answering.Prompt, refused []string) (b body) {
	if !isBlank(prompt.System) {
		b.SystemInstruction = &instruction{roleUser, []text{{prompt.System}}}
	}
	if len(prompt.Tools) > 0 {
		var all tools
		for _, one := range prompt.Tools {
			parameters, _ := schema.For(schema.Gemini, one.Parameters)
			all.FunctionDeclarations = append(all.FunctionDeclarations, declaration{declared(one.Name), one.Description, parameters})
		}
		b.Tools = []tools{all}
		if prompt.NoCalls {
			b.ToolConfig = new(toolConfig)
			b.ToolConfig.FunctionCallingConfig.Mode = "NONE"
		}
	}
	p := prompt.Parameters
	b.GenerationConfig = generationConfig{
		Temperature: p.Temperature, TopP: p.TopP, MaxOutputTokens: p.MaxOutputTokens, StopSequences: p.Stop[:min(len(p.Stop), mostStops)], Seed: p.Seed,
		ThinkingConfig: thinkingOf(prompt),
	}
	for _, one := range b.spares() {
		if slices.ContainsFunc(one.words, func(word string) bool { return slices.Contains(refused, word) }) {
			one.drop()
		}
	}
	return b
}

// spare is what a request can do without, and the words with which a refusal names it.
type spare struct {
	words []string
	drop  func()
}

// spares returns what is set and can be dropped. Without a system instruction its text is the user's.
func (b *body) spares() (all []spare) {
	add := func(isSet bool, drop func(), words ...string) {
		if isSet {
			all = append(all, spare{words, drop})
		}
	}
	config := &b.GenerationConfig
	add(b.SystemInstruction != nil, func() { b.SystemInstruction = nil }, "developer instruction", "system instruction", "system_instruction")
	add(config.ThinkingConfig != nil, func() { config.ThinkingConfig = nil }, "thinking", "thinking_config", "thinking_level", "thinking_budget")
	add(config.Temperature != nil, func() { config.Temperature = nil }, "temperature")
	add(config.TopP != nil, func() { config.TopP = nil }, "top_p", "topP")
	add(config.Seed != nil, func() { config.Seed = nil }, "seed")
	add(config.StopSequences != nil, func() { config.StopSequences = nil }, "stop_sequences", "stop sequences")
	return all
}

// beginsOddly finds names that are refused, because they begin with a digit or a dash, and those that they are declared
// with.
var beginsOddly = regexp.MustCompile(`^_*[0-9-]`)

// declared returns the name of a tool as it is declared, and undeclared that of a tool that is declared so.
func declared(name string) string {
	if beginsOddly.MatchString(name) {
		return "_" + name
	}
	return name
}

func undeclared(name string) string {
	if beginsOddly.MatchString(name) {
		return strings.TrimPrefix(name, "_")
	}
	return name
}

func isBlank(text string) bool { return strings.TrimSpace(text) == "" }

package main_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// writeAgents writes a file for AGENTS and returns its folder.
func writeAgents(t *testing.T, text string) string {
	t.Helper()
	folder := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(folder, "agents.yaml"), []byte(text), 0o600))
	return folder
}

func TestAgents(t *testing.T) {
	t.Parallel()
	folder := writeAgents(t, `# Two agents.
agents:
  - id: helper
    name: The helper
    type: chat_agent
    window: 200
    instructions: |
      Help.
      Be kind.
  - {id: clerk, model: large}
`)
	model := newModel(t)
	p := startIn(t, folder, model.env().with(env{"AGENTS": "agents.yaml"}))
	list := decode[wire.ListAgentsResponse](t, p.do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusOK)
	require.Equal(t, wire.ListAgentsResponse{
		Agents: []wire.Agent{
			{ID: "helper", Name: "The helper", Type: wire.AgentChat, Models: []string{"small", "large"}},
			{ID: "clerk", Name: "clerk", Type: wire.AgentChat, Model: "large", Models: []string{"large", "small"}},
		},
		Models: []string{"small", "large"},
	}, list)

	s := p.stream("Hi")
	c := <-model.calls
	require.Equal(t, "small", c.asked.Model)
	require.Regexp(t, `^Help.\nBe kind.\n\n\nAnswer in the language .*\n\nToday is \w+day, \d+ \w+ 20\d\d\.$`, c.asked.Messages[0].Content)
	c.finish()
	require.Equal(t, "helper", s.complete().Message.AgentID)

	s = p.stream("Hi", wire.FieldAgentID, "clerk")
	c = <-model.calls
	require.Equal(t, "large", c.asked.Model)
	require.Regexp(t, "^Answer in the language ", c.asked.Messages[0].Content, "no instructions")
	c.finish()
	require.Equal(t, "large", s.complete().Message.ModelName)
	requireError(t, p.send(strings.Repeat("x ", 250)), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
}

func TestDefaultAgent(t *testing.T) {
	t.Parallel()
	list := decode[wire.ListAgentsResponse](t, start(t, nil).do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusOK)
	require.Equal(t, wire.ListAgentsResponse{
		Agents: []wire.Agent{{ID: "assistant", Name: "Assistant", Type: wire.AgentChat}}, Models: []string{},
	}, list)
}

// An ordinary file is far below the limits.
func TestAgentsWithAliases(t *testing.T) {
	t.Parallel()
	text := "agents:\n- id: a0\n  instructions: &text |\n    Be kind.\n  memory: &memory {memory_types: [fact, context]}\n"
	for i := range 300 {
		text += fmt.Sprintf("- {id: b%d, instructions: *text, memory: *memory, documents: [one, two]}\n", i)
	}
	p := startIn(t, writeAgents(t, text), env{"AGENTS": "agents.yaml"})
	list := decode[wire.ListAgentsResponse](t, p.do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusOK)
	require.Len(t, list.Agents, 301)
}

func TestAgentsWithModelsNeedNoDefault(t *testing.T) {
	t.Parallel()
	folder := writeAgents(t, "agents: [{id: a, model: tiny}]")
	model := newModel(t)
	p := startIn(t, folder, model.env().with(env{"MODEL": "", "AGENTS": "agents.yaml"}))
	s := p.stream("Hi")
	c := <-model.calls
	require.Equal(t, "tiny", c.asked.Model)
	c.finish()
	s.complete()
}

// Without a file, a message may name any model of MODEL, and no other.
func TestModelsWithoutAFile(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env().with(env{"MODEL": "large, small"}))
	list := decode[wire.ListAgentsResponse](t, p.do(http.MethodGet, "/project/demo/agents", nil, ""), http.StatusOK)
	require.Equal(t, []string{"large", "small"}, list.Models)
	for named, asked := range map[string]string{"": "large", "small": "small"} {
		var fields []string
		if named != "" {
			fields = []string{"model_name", named}
		}
		s := p.stream("Hi", fields...)
		c := <-model.calls
		require.Equal(t, asked, c.asked.Model)
		c.finish()
		require.Equal(t, asked, s.complete().Message.ModelName)
	}
	requireError(t, p.send("Hi", "model_name", "huge"), http.StatusBadRequest, wire.CodeValidation)
}

func TestBadAgents(t *testing.T) {
	t.Parallel()
	provider := env{"OPENAI_BASE_URL": "http://127.0.0.1:1/v1"}
	tests := []struct {
		name string
		yaml string
		env  env
		want []string
	}{
		{"an empty file", "", nil, []string{"no agents"}},
		{"an empty list", "agents: []", nil, []string{"no agents"}},
		{"a list without its key", "- id: a", nil, nil},
		{"a string", "hello", nil, nil},
		{"an unknown key", "agents:\n  - id: a\n    temperature: 1", nil, []string{"temperature"}},
		{"an unknown key beside agents", "agents:\n  - id: a\nmodel: x", nil, []string{`model`}},
		{"memory of no memories", "agents: [{id: a, memory: {max_memories: 0}}]", nil, []string{"agent 1", "memory: max_memories is 0, want 1 to 1000"}},
		{"memory of an unknown type", "agents: [{id: a, memory: {memory_types: [mood]}}]", nil, []string{"memory: memory_types", "preference"}},
		{"memory of unknown settings", "agents: [{id: a, memory: {enabled: true}}]", nil, []string{"enabled"}},
		{"documents in a mapping", "agents:\n  - id: a\n    documents: {a: x}", nil, []string{"[3:16]", "sequence"}},
		{"a key twice", "agents:\n  - id: a\n    id: b", nil, []string{"id"}},
		{"a window in words", "agents:\n  - id: a\n    window: wide", nil, []string{"3:13", "int"}},
		{"invalid YAML", "agents:\n  - id: 'a", nil, []string{"2:9"}},
		{"not indented", "agents:\n\t- id: a", nil, []string{"2:"}},
		{"no id", "agents:\n  - name: A", nil, []string{"agent 1", `id is ""`}},
		{"an id that is a path", "agents: [{id: a}, {id: ..}]", nil, []string{"agent 2", `id is ".."`}},
		{"an id twice", "agents: [{id: a}, {id: b}, {id: a}]", nil, []string{"agent 3", `id "a" occurs twice`}},
		{"an unknown type", "agents: [{id: a, type: poet}]", nil, []string{`"poet"`, wire.AgentChat, wire.AgentDocument}},
		{"reasoning for some", "agents: [{id: a, reasoning: maybe}]", nil, []string{`reasoning is "maybe", want hidden or shown`}},
		{"a window below 0", "agents: [{id: a, window: -1}]", nil, []string{"window is -1"}},
		{"instructions that fill the window", "agents: [{id: a, window: 3, instructions: 7 bytes}]", nil, []string{"agent 1", "instructions", "window"}},
		{"a model without a provider", "agents: [{id: a, model: x}]", nil, []string{`model is "x"`, "OPENAI_BASE_URL"}},
		{"models without a provider", "agents: [{id: a, models: [x]}]", nil, []string{"[1:26] agent 1: models: want one model or more", "PROVIDERS"}},
		{"no models", "agents: [{id: a, model: x, models: []}]", provider, []string{"[1:36] agent 1: models: want one model or more"}},
		{"a model twice", "agents: [{id: a, models: [x, y, x]}]", provider, []string{`[1:33] agent 1: models: the model "x" occurs twice`}},
		{"a blank model", "agents: [{id: a, model: x, fallback_models: ['']}]", provider, []string{`[1:46] agent 1: fallback_models: the model is ""`}},
		{"a temperature that is too high", "agents:\n  - id: a\n    model: x\n    parameters: {temperature: 3}", provider,
			[]string{"[4:31] agent 1: temperature is 3, want 0 to 2"}},
		{"no model", "agents: [{id: a, model: x}, {id: b}]", provider, []string{"agent 2", "model is missing", "MODEL"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := writeAgents(t, test.yaml)
			line := fails(t, folder, test.env, "-addr", "127.0.0.1:0", "-agents", "agents.yaml")
			for _, want := range append(test.want, "AGENTS", "agents.yaml") {
				require.Contains(t, line, want)
			}
			require.NoDirExists(t, filepath.Join(folder, "data"))
		})
	}
	laughs := "agents: [{id: a}]\na0: &a0 [x, x]\n"
	for i := range 40 {
		laughs += fmt.Sprintf("a%d: &a%d [*a%d, *a%d]\n", i+1, i+1, i, i)
	}
	costly := []struct {
		name, yaml string
		want       []string
	}{
		{"nested in brackets", "agents: " + strings.Repeat("[", 100_000), []string{"[1:41] ", "deeper than 32 levels"}},
		{"nested in braces", "agents:\n  " + strings.Repeat("{a: ", 10_000), []string{"[2:", "deeper than 32 levels"}},
		{"nested in dashes", "agents:\n" + strings.Repeat("- ", 9_000) + "a", []string{"[2:65] ", "deeper than 32 levels"}},
		{"nested in question marks", "agents:\n" + strings.Repeat("? ", 9_000) + "a", []string{"[2:65] ", "deeper than 32 levels"}},
		{"nested in all of them", "agents:\n" + strings.Repeat("- [", 9_000), []string{"[2:", "deeper than 32 levels"}},
		{"aliases of aliases", laughs, []string{"[", "the aliases stand for more than 20000 values"}},
		{"an alias of itself", "agents: &a [*a]", []string{"[1:13] ", "the aliases stand for more than 20000 values"}},
		{"too many words", "agents: [" + strings.Repeat("a,", 100_000) + "]", []string{"[1:", "more than 20000 words and signs"}},
		{"too many bytes", "agents:\n- id: a\n  instructions: " + strings.Repeat("x", 1<<20), []string{"more than 1048576 bytes"}},
	}
	for _, test := range costly {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			line := fails(t, writeAgents(t, test.yaml), nil, "-addr", "127.0.0.1:0", "-agents", "agents.yaml")
			for _, want := range append(test.want, "AGENTS: agents.yaml") {
				require.Contains(t, line, want)
			}
			require.Less(t, len(line), 200)
		})
	}
	require.Contains(t, fails(t, t.TempDir(), env{"AGENTS": "gone.yaml"}), "AGENTS: open gone.yaml: no such file")
}

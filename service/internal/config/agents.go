package config

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/embedded"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// agentsFile is the YAML file of AGENTS.
type agentsFile struct {
	Agents []struct {
		ID             string          `yaml:"id"`
		Name           string          `yaml:"name"`
		Instructions   string          `yaml:"instructions"`
		Type           string          `yaml:"type"`
		Reasoning      string          `yaml:"reasoning"`
		Model          string          `yaml:"model"`
		Models         []string        `yaml:"models"`
		FallbackModels []string        `yaml:"fallback_models"`
		Parameters     parametersEntry `yaml:"parameters"`
		Window         int             `yaml:"window"`
		Documents      *[]string       `yaml:"documents"`
		Tools          []toolEntry     `yaml:"tools"`
		PageTools      any             `yaml:"page_tools"`
		Memory         struct {
			MemoryEnabled *bool    `yaml:"memory_enabled"`
			MaxMemories   *int     `yaml:"max_memories"`
			AutoApprove   *bool    `yaml:"auto_approve"`
			MemoryTypes   []string `yaml:"memory_types"`
		} `yaml:"memory"`
	} `yaml:"agents"`
}

// Agents has the agents, the default one first, and the settings with which their memories
// begin.
type Agents struct {
	All    []answering.Agent
	Memory map[string]wire.MemorySettings
}

// ReadAgents returns the agents of the file, or the default agent without a file. Secrets of
// tools come from env. log gets warnings about their calls.
func ReadAgents(s *Settings, providers Providers, env Lookup, log *slog.Logger) (Agents, error) {
	agents := Agents{Memory: map[string]wire.MemorySettings{}}
	if s.AgentsFile == "" {
		agents.All = []answering.Agent{{ID: "assistant", Name: "Assistant", Window: window(s, 0)}}
		return agents, nil
	}
	file, text, err := readYAML[agentsFile]("AGENTS", s.AgentsFile)
	if err != nil {
		return Agents{}, err
	}
	if len(file.Agents) == 0 {
		return Agents{}, fmt.Errorf("AGENTS: %s has no agents", s.AgentsFile)
	}
	for i, a := range file.Agents {
		item, what := fmt.Sprintf("agents[%d]", i), fmt.Sprintf("agent %d", i+1)
		agent := answering.Agent{ID: a.ID, Name: a.Name, Instructions: a.Instructions, Type: a.Type, Model: a.Model, Window: window(s, a.Window),
			Reasoning: a.Reasoning}
		if agent.Name == "" {
			agent.Name = agent.ID
		}
		if a.Documents != nil {
			agent.Documents = append([]string{}, *a.Documents...)
		}
		settings := wire.MemorySettings{
			MemoryEnabled: a.Memory.MemoryEnabled, MaxMemories: a.Memory.MaxMemories,
			AutoApprove: a.Memory.AutoApprove, MemoryTypes: a.Memory.MemoryTypes,
		}
		if err := errors.Join(checkAgent(agents.All, agent), checkMemory(settings)); err != nil {
			return Agents{}, fmt.Errorf("%s: %s: %w", text.name, what, err)
		}
		if wrong := readModels(&agent, providers, a.Models, a.FallbackModels); wrong != nil {
			return Agents{}, text.wrong(item, what, wrong)
		}
		parameters, wrong := a.Parameters.parameters(env)
		if wrong != nil {
			return Agents{}, text.wrong(item, what, wrong.below("parameters"))
		}
		agent.Parameters = parameters
		tools, wrong := readTools(a.Tools, a.PageTools, env, log.With("agent", agent.ID))
		if wrong != nil {
			return Agents{}, text.wrong(item, what, wrong)
		}
		agent.Tools = tools
		agents.All = append(agents.All, agent)
		agents.Memory[agent.ID] = settings
	}
	return agents, nil
}

// checkMemory checks the settings of an agent's memory.
func checkMemory(settings wire.MemorySettings) error {
	var refusal *fault.Error
	if errors.As(memory.CheckSettings(settings), &refusal) {
		return fmt.Errorf("memory: %s", refusal.Message)
	}
	return nil
}

// readModels reads the models of an agent: its own, those that a message may name, and those that take over.
func readModels(agent *answering.Agent, providers Providers, models, fallbacks []string) *misplaced {
	isAsked := len(providers.All) > 0
	if agent.Model != "" && !isAsked {
		return &misplaced{"model", fmt.Errorf("model is %q, but none of PROVIDERS, OPENAI_BASE_URL and OPENAI_API_KEY is set", agent.Model)}
	}
	if err := providers.check(agent.Model); err != nil {
		return &misplaced{"model", err}
	}
	if agent.Model != "" && models != nil && !slices.Contains(models, agent.Model) {
		agent.Models = []string{agent.Model}
	}
	wrong := providers.add(&agent.Models, "models", models)
	if wrong == nil {
		wrong = providers.add(&agent.FallbackModels, "fallback_models", fallbacks)
	}
	if wrong != nil {
		return wrong
	}
	if agent.Model == "" && models != nil {
		agent.Model = models[0]
	}
	if at := slices.Index(agent.Models, agent.Model); at > 0 {
		agent.Models = slices.Concat([]string{agent.Model}, slices.Delete(agent.Models, at, at+1))
	}
	if agent.Model == "" && providers.Model == "" && isAsked {
		return &misplaced{"model", errors.New("model is missing, and MODEL is not set either")}
	}
	return nil
}

// add adds the names of a field to a list of models.
func (p Providers) add(to *[]string, field string, names []string) *misplaced {
	if names != nil && (len(names) == 0 || len(p.All) == 0) {
		return &misplaced{field, fmt.Errorf("%s: want one model or more, and PROVIDERS or OPENAI_BASE_URL to say where they are", field)}
	}
	for i, name := range names {
		err := addModel(to, name)
		if err == nil {
			err = p.check(name)
		}
		if err != nil {
			return &misplaced{fmt.Sprintf("%s[%d]", field, i), fmt.Errorf("%s: %w", field, err)}
		}
	}
	return nil
}

// checkAgent checks an agent that comes after others.
func checkAgent(others []answering.Agent, agent answering.Agent) error {
	switch {
	case agent.ID == "" || agent.ID == "." || agent.ID == "..":
		return fmt.Errorf("id is %q, which cannot be an id", agent.ID)
	case slices.ContainsFunc(others, func(other answering.Agent) bool { return other.ID == agent.ID }):
		return fmt.Errorf("id %q occurs twice", agent.ID)
	case agent.Type != "" && agent.Type != wire.AgentChat && agent.Type != wire.AgentDocument:
		return fmt.Errorf("type is %q, want %s or %s", agent.Type, wire.AgentChat, wire.AgentDocument)
	case agent.Reasoning != "" && agent.Reasoning != answering.ReasoningHidden && agent.Reasoning != answering.ReasoningShown:
		return fmt.Errorf("reasoning is %q, want %s or %s", agent.Reasoning, answering.ReasoningHidden, answering.ReasoningShown)
	case agent.Window < 0:
		return fmt.Errorf("window is %d, want a number of tokens from 1", agent.Window)
	case agent.Room() < 1:
		return errors.New("the instructions leave no room in the window; shorten them, or set a larger window")
	}
	return nil
}

// window returns the agent's window. The default of the embedded agent is embedded.Window: with
// the default for models it would refuse messages that the limits allow.
func window(s *Settings, given int) int {
	if given == 0 && !s.HasProvider() {
		return embedded.Window
	}
	return given
}

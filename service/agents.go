package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// agentsFile is the YAML file of AGENTS.
type agentsFile struct {
	Agents []struct {
		ID           string `yaml:"id"`
		Name         string `yaml:"name"`
		Instructions string `yaml:"instructions"`
		Type         string `yaml:"type"`
		Model        string `yaml:"model"`
		Window       int    `yaml:"window"`
	} `yaml:"agents"`
}

// readAgents gives the agents of the file, or the one that there is without a
// file.
func readAgents(s *settings) ([]chat.Agent, error) {
	if s.agents == "" {
		return []chat.Agent{{ID: "assistant", Name: "Assistant"}}, nil
	}
	content, err := os.ReadFile(s.agents)
	if err != nil {
		return nil, fmt.Errorf("AGENTS: %w", err)
	}
	var file agentsFile
	if err := yaml.UnmarshalWithOptions(content, &file, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("AGENTS: %s: %s", s.agents, yaml.FormatError(err, false, false))
	}
	if len(file.Agents) == 0 {
		return nil, fmt.Errorf("AGENTS: %s has no agents", s.agents)
	}
	var agents []chat.Agent
	for i, a := range file.Agents {
		agent := chat.Agent{ID: a.ID, Name: a.Name, Instructions: a.Instructions, Type: a.Type, Model: a.Model, Window: a.Window}
		if agent.Name == "" {
			agent.Name = agent.ID
		}
		if err := checkAgent(s, agents, agent); err != nil {
			return nil, fmt.Errorf("AGENTS: %s: agent %d: %w", s.agents, i+1, err)
		}
		agents = append(agents, agent)
	}
	return agents, nil
}

// checkAgent finds what is wrong with an agent that comes after others.
func checkAgent(s *settings, others []chat.Agent, agent chat.Agent) error {
	switch {
	case agent.ID == "" || agent.ID == "." || agent.ID == "..":
		return fmt.Errorf("id is %q, which cannot be an id", agent.ID)
	case slices.ContainsFunc(others, func(other chat.Agent) bool { return other.ID == agent.ID }):
		return fmt.Errorf("id %q stands twice", agent.ID)
	case agent.Type != "" && agent.Type != wire.AgentChat:
		return fmt.Errorf("type is %q, want %s", agent.Type, wire.AgentChat)
	case agent.Window < 0:
		return fmt.Errorf("window is %d, want a number of tokens from 1", agent.Window)
	case agent.Room() < 1:
		return errors.New("the instructions leave no room in the window; shorten them, or set a larger window")
	case agent.Model != "" && !s.hasProvider():
		return fmt.Errorf("model is %q, but neither OPENAI_BASE_URL nor OPENAI_API_KEY is set", agent.Model)
	case agent.Model == "" && s.model == "" && s.hasProvider():
		return errors.New("model is missing, and MODEL is not set either")
	}
	return nil
}

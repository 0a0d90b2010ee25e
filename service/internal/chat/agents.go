package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Agents lists what the caller may use.
func (s *Service) Agents(caller access.Caller) wire.ListAgentsResponse {
	list := wire.ListAgentsResponse{Agents: []wire.Agent{}, Models: s.models()}
	for _, agent := range s.config.Agents {
		if caller.MayUse(agent.ID) {
			list.Agents = append(list.Agents, wire.Agent{ID: agent.ID, Name: agent.Name, Type: agent.Manner(), Model: agent.Model, Models: s.modelsOf(agent)})
		}
	}
	return list
}

// models are all models that are known: the service's and those of the agents.
func (s *Service) models() []string {
	models := named([]string{}, s.config.Model)
	models = named(models, s.config.Models...)
	for _, agent := range s.config.Agents {
		models = named(models, agent.Model)
		models = named(models, agent.Models...)
	}
	return models
}

// modelsOf are the models that a message to an agent may name, the one that it asks otherwise first.
func (s *Service) modelsOf(agent answering.Agent) []string {
	if agent.Models != nil {
		return agent.Models
	}
	return named(named(nil, agent.Model), s.models()...)
}

// named adds the names of models, each once.
func named(models []string, more ...string) []string {
	for _, name := range more {
		if name != "" && !slices.Contains(models, name) {
			models = append(models, name)
		}
	}
	return models
}

// agent finds the agent that answers: the one with the id, or the first that the caller may use
// if the id is empty.
func (s *Service) agent(caller access.Caller, id string) (answering.Agent, error) {
	for _, agent := range s.config.Agents {
		if caller.MayUse(agent.ID) && (id == "" || id == agent.ID) {
			return agent, nil
		}
	}
	return answering.Agent{}, fault.NotFound("Agent", wire.FieldAgentID)
}

// checkManner checks the agent_type of a message.
func (s *Service) checkManner(agentType string) error {
	switch {
	case agentType == "" || agentType == wire.AgentChat || agentType == wire.AgentDocument && s.config.Knowledge != nil:
		return nil
	case agentType == wire.AgentDocument:
		return Disabled(wire.FieldAgentType, noDocuments)
	}
	return &fault.Error{
		Code:    wire.CodeValidation,
		Message: fmt.Sprintf("agent_type is unknown, want %s or %s", wire.AgentChat, wire.AgentDocument),
		Fields:  []string{wire.FieldAgentType},
	}
}

// Disabled refuses a field that needs a feature which this service doesn't have.
func Disabled(field, reason string) *fault.Error {
	return &fault.Error{Code: wire.CodeFeatureDisabled, Message: fmt.Sprintf("%s is not available: %s", field, reason), Fields: []string{field}}
}

// model chooses the model: the message's, else the agent's, else the service's.
func (s *Service) model(agent answering.Agent, name string) (string, error) {
	if name == "" {
		if agent.Model != "" {
			return agent.Model, nil
		}
		return s.config.Model, nil
	}
	known := s.modelsOf(agent)
	if at := slices.IndexFunc(known, func(one string) bool { return s.config.IsSameModel(one, name) }); at >= 0 {
		return known[at], nil
	}
	want := "no model is configured here"
	if len(known) > 0 {
		want = "want one of " + strings.Join(known, ", ")
	}
	return "", &fault.Error{Code: wire.CodeValidation, Message: "model_name is unknown: " + want, Fields: []string{wire.FieldModelName}}
}

// optionsOf returns the options that a question was sent with. If they are not known, the agent
// is the one of the old answer.
func (s *Service) optionsOf(ctx context.Context, questionID string, old wire.Message) (answering.Options, error) {
	text, err := s.config.Store.SendOptions(ctx, questionID)
	if err != nil || text == nil {
		return answering.Options{AgentID: old.AgentID}, err
	}
	var options answering.Options
	err = json.Unmarshal(text, &options)
	return options, err
}

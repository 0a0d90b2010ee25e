package chat_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// A message to an agent may name one of its models, in any of its spellings, and no other.
func TestModelsOfAnAgent(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), agents(
		answering.Agent{ID: "a", Model: "one/small", Models: []string{"one/small", "two/large"}}, answering.Agent{ID: "b"},
	), func(c *chat.Config) {
		c.Model = "large"
		c.IsSameModel = func(one, other string) bool {
			return strings.TrimPrefix(one, "one/") == strings.TrimPrefix(other, "one/")
		}
	})
	list := s.Agents(ann)
	require.Equal(t, []string{"one/small", "two/large"}, list.Agents[0].Models)
	require.Equal(t, []string{"large", "one/small", "two/large"}, list.Agents[1].Models, "one that names none takes all")
	require.Equal(t, []string{"large", "one/small", "two/large"}, list.Models)
	ask := func(model string) chat.Send {
		return chat.Send{Message: "Hi", Options: answering.Options{ModelName: model}}
	}
	for name, want := range map[string]string{"": "one/small", "small": "one/small", "one/small": "one/small", "two/large": "two/large"} {
		require.Equal(t, want, s.ask(ann, ask(name)).Message.ModelName)
	}
	err := requireError(t, s.refused(ann, ask("large")), wire.CodeValidation, "model_name")
	require.Contains(t, err.Message, "want one of one/small, two/large")
}

// Who answers, and with what, is looked up for a send, for each further round, and for another answer to the question.
func TestAbilitiesAreThoseOfTheModel(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var named []string
	model := twoRounds()
	s := start(t, model.script(), operatorTools(t, &counter{}, nil, map[string]string{"act": wire.ApprovalNever}), func(c *chat.Config) {
		c.Model, c.Models = "large", []string{"small"}
		c.Abilities = func(agent answering.Agent, model string) answering.Abilities {
			mu.Lock()
			defer mu.Unlock()
			named = append(named, agent.ID+" "+model)
			return answering.Abilities{}
		}
	}).carried()
	response := s.ask(ann, chat.Send{Message: "Hi", Options: answering.Options{ModelName: "small"}})
	id := response.Message.AgentID
	require.Equal(t, []string{id + " small", id + " small"}, named, "both rounds")
	model.say = [][]answering.Piece{words("Again")}
	stream, err := s.Regenerate(t.Context(), ann, chat.Regenerate{ChatID: response.ChatID, MessageID: response.Message.ID})
	require.NoError(t, err)
	read(t, stream)
	require.Equal(t, id+" small", named[2])
}

package chat_test

import (
	"strings"
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

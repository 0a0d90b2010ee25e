package chat_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

func TestSendRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		caller access.Caller
		send   chat.Send
		code   string
		fields []string
	}{
		{"an empty message", ann, chat.Send{}, wire.CodeValidation, []string{"message"}},
		{"a blank message", ann, chat.Send{Message: " \n\t\u2003\u00a0"}, wire.CodeValidation, []string{"message"}},
		{"a message over the limit, counted in code points", ann, chat.Send{Message: strings.Repeat("🙂", 11)},
			wire.CodePayloadTooLarge, []string{"message"}},
		{"an unknown agent", ann, chat.Send{Message: "Hi", Options: answering.Options{AgentID: "nobody"}}, wire.CodeNotFound, []string{"agent_id"}},
		{"an agent of others", only(ann, "clerk"), chat.Send{Message: "Hi", Options: answering.Options{AgentID: "assistant"}}, wire.CodeNotFound,
			[]string{"agent_id"}},
		{"a caller without agents", only(ann), chat.Send{Message: "Hi"}, wire.CodeNotFound, []string{"agent_id"}},
		{"a caller whose agents are unknown", only(ann, "gone"), chat.Send{Message: "Hi"}, wire.CodeNotFound, []string{"agent_id"}},
		{"an unknown manner", ann, chat.Send{Message: "Hi", Options: answering.Options{AgentType: "poet"}}, wire.CodeValidation, []string{"agent_type"}},
		{"a manner that is not available", ann, chat.Send{Message: "Hi", Options: answering.Options{AgentType: wire.AgentDocument}},
			wire.CodeFeatureDisabled, []string{"agent_type"}},
		{"an unknown model", ann, chat.Send{Message: "Hi", Options: answering.Options{ModelName: "huge"}}, wire.CodeValidation, []string{"model_name"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, says(), agents(answering.Agent{ID: "assistant"}, answering.Agent{ID: "clerk", Model: "small"}),
				limits(chat.Limits{MessageCharacters: 10}))
			requireError(t, s.refused(test.caller, test.send), test.code, test.fields...)
			require.Empty(t, s.ended.list(), "no answer has begun")
		})
	}
}

// only returns the caller, limited to these agents.
func only(caller access.Caller, agents ...string) access.Caller {
	caller.Agents = append([]string{}, agents...)
	return caller
}

func TestSendNamesWhatIsKnown(t *testing.T) {
	t.Parallel()
	s := start(t, says(), agents(answering.Agent{ID: "a", Model: "small"}), func(c *chat.Config) { c.Model = "large" })
	err := requireError(t, s.refused(ann, chat.Send{Message: "Hi", Options: answering.Options{ModelName: "huge"}}), wire.CodeValidation, "model_name")
	require.Contains(t, err.Message, "small, large")
	s = start(t, says(words("Hello")...), agents(answering.Agent{ID: "a", Model: "small"}),
		func(c *chat.Config) { c.Model, c.Models = "large", []string{"tiny", "small"} })
	require.Equal(t, []string{"large", "tiny", "small"}, s.Agents(ann).Models, "each once, the service's first")
	for name, want := range map[string]string{"": "small", "large": "large", "tiny": "tiny"} {
		require.Equal(t, want, s.ask(ann, chat.Send{Message: "Hi", Options: answering.Options{ModelName: name}}).Message.ModelName)
	}
	err = requireError(t, s.refused(ann, chat.Send{Message: "Hi", Options: answering.Options{AgentType: "poet"}}), wire.CodeValidation, "agent_type")
	require.Contains(t, err.Message, wire.AgentChat)

	s = start(t, says())
	err = requireError(t, s.refused(ann, chat.Send{Message: "Hi", Options: answering.Options{ModelName: "huge"}}), wire.CodeValidation, "model_name")
	require.Contains(t, err.Message, "no model is configured")
}

func TestSendToChatOutOfReach(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	chatID := s.ask(bob, chat.Send{Message: "Hi"}).ChatID
	for name, send := range map[string]chat.Send{
		"no such chat":  {Message: "Hi", ChatID: "chat_none"},
		"another chat":  {Message: "Hi", ChatID: chatID},
		"a path":        {Message: "Hi", ChatID: "../" + chatID},
		"a NUL in it":   {Message: "Hi", ChatID: chatID + "\x00"},
		"a longer name": {Message: "Hi", ChatID: chatID + strings.Repeat("x", 100_000)},
	} {
		require.ErrorIs(t, s.refused(ann, send), fault.ErrNotFound, name)
	}
	require.ErrorIs(t, s.refused(alien, chat.Send{Message: "Hi", ChatID: chatID}), fault.ErrNotFound)
	s.ask(admin, chat.Send{Message: "Hi", ChatID: chatID}) // the administrator reaches it
	require.Zero(t, s.Running())
}

func TestSendWithinLimits(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...), limits(chat.Limits{MessageCharacters: 10}))
	for _, message := range []string{strings.Repeat("🙂", 10), "0123456789", " x "} {
		response := s.ask(ann, chat.Send{Message: message})
		require.Equal(t, message, s.history(response.ChatID).Messages[0].Content, "the message is kept as it is")
	}
	s = start(t, says(words("Hello")...), agents(answering.Agent{ID: "a", Window: 1 << 20}))
	s.ask(ann, chat.Send{Message: strings.Repeat("x", 100_000)}) // 0 means no limit
}

func TestSendMakesChat(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello ", "Ann")...), func(c *chat.Config) { c.Model = "large" })
	response := s.ask(ann, chat.Send{Message: "Hi there", Metadata: wire.JSON(`{"a":[1]}`), IsTest: true})
	history := s.history(response.ChatID)
	at := float64(noon.Unix())
	want := wire.ChatHistoryResponse{
		ID: response.ChatID, ChatID: response.ChatID, Name: "Hi there", CreatedAt: at,
		Messages: []wire.Message{{
			ID: history.Messages[0].ID, ChatID: response.ChatID, Role: wire.RoleUser, Content: "Hi there",
			CreatedAt: at, Metadata: wire.JSON(`{"a":[1]}`), IsTest: true,
		}, {
			ID: response.MessageID, ChatID: response.ChatID, Role: wire.RoleAssistant, Content: "Hello Ann",
			CreatedAt: at, ModelName: "large", AgentID: "assistant", FinishReason: wire.FinishStop, IsTest: true,
			ParentID: history.Messages[0].ID,
		}},
	}
	require.Equal(t, want, history)
	require.Equal(t, wire.SendMessageResponse{
		Message: want.Messages[1], ChatID: response.ChatID, MessageID: response.MessageID, ChatName: "Hi there",
	}, response)
	require.Empty(t, s.ended.list(), "a test is not counted")
	s.ask(ann, chat.Send{Message: "Hi there"})
	require.Equal(t, []string{wire.FinishStop}, s.ended.list())

	_, err := s.ChatHistory(t.Context(), bob, response.ChatID)
	require.ErrorIs(t, err, fault.ErrNotFound, "the chat belongs to its creator")
}

func TestSendChoosesAgentAndModel(t *testing.T) {
	t.Parallel()
	all := []answering.Agent{
		{ID: "first", Instructions: "Be first."},
		{ID: "clerk", Instructions: "Be a clerk.", Model: "small", Type: wire.AgentChat},
	}
	tests := []struct {
		name         string
		caller       access.Caller
		send         chat.Send
		agent, model string
	}{
		{"the first agent and the service's model", ann, chat.Send{}, "first", "large"},
		{"the first agent that the caller may use, and its model", only(ann, "clerk"), chat.Send{}, "clerk", "small"},
		{"the named agent", ann, chat.Send{Options: answering.Options{AgentID: "clerk", AgentType: wire.AgentChat}}, "clerk", "small"},
		{"the named model", ann, chat.Send{Options: answering.Options{AgentID: "clerk", ModelName: "large"}}, "clerk", "large"},
		{"a model that another agent names", ann, chat.Send{Options: answering.Options{ModelName: "small"}}, "first", "small"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := newRecorder(says(words("Hello")...))
			s := start(t, model, agents(all...), func(c *chat.Config) { c.Model = "large" })
			test.send.Message = "Hi"
			answer := s.ask(test.caller, test.send).Message
			prompt := <-model.prompts
			require.Equal(t, []string{test.agent, test.model}, []string{answer.AgentID, answer.ModelName})
			require.Equal(t, test.model, prompt.Model)
			require.Equal(t, map[string]string{"first": "Be first.", "clerk": "Be a clerk."}[test.agent], instructions(prompt))
		})
	}
}

func TestSendMakesNewIDs(t *testing.T) {
	t.Parallel()
	s := start(t, says(words("Hello")...))
	seen := map[string]bool{}
	for range 20 {
		start := read(t, s.send(ann, chat.Send{Message: "Hi"})).start
		for kind, id := range map[string]string{
			"stream_": start.StreamID, "chat_": start.ChatID, "msg_": start.MessageID, "msg_u": "msg_u" + start.UserMessageID,
		} {
			require.Regexp(t, "^"+kind, id)
			require.False(t, seen[id], id)
			seen[id] = true
		}
	}
	for id := range seen { // 26 characters of five bits hold 128
		require.Regexp(t, `_[a-z0-9]{8}[a-z2-7]{26}$`, id)
	}
}

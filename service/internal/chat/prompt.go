package chat

import (
	"context"
	"fmt"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens estimates what a text costs of a model's window: three bytes of UTF-8
// count as a token, rounded up.
func tokens(text string) int { return (len(text) + 2) / 3 }

// Room is how many tokens the window of an agent has beside its instructions.
func (a Agent) Room() int { return a.window() - tokens(a.Instructions) }

// fits refuses a question that has no room.
func (a Agent) fits(question string) error {
	if tokens(question) <= a.Room() {
		return nil
	}
	return &Error{
		Code: wire.CodePayloadTooLarge,
		Message: fmt.Sprintf("the message is too long for the agent: %d tokens beside %d of instructions, and the window holds %d",
			tokens(question), tokens(a.Instructions), a.window()),
		Fields: []string{wire.FieldMessage},
	}
}

// prompt makes what the model is asked: the instructions, what is remembered of
// the user, the chat as far as it was finished at this moment, and the question.
// When that is more than the agent's window holds, the oldest messages are left
// out, whole ones only.
func (s *Service) prompt(ctx context.Context, t *turn) (Prompt, error) {
	p := Prompt{Model: t.model, System: joined(t.agent.Instructions, t.memories)}
	question := PromptMessage{ID: t.question.ID, Role: wire.RoleUser, Text: t.question.Content}
	if !t.options.IgnoreChatHistory {
		history, err := s.config.Store.ChatHistory(ctx, t.scope, t.question.ChatID)
		if err != nil {
			return Prompt{}, err
		}
		before := history.Messages
		if t.replaces != "" {
			before = before[:slices.IndexFunc(before, func(m wire.Message) bool { return m.ID == t.question.ID })]
		}
		room := t.agent.Room() - tokens(t.memories) - tokens(question.Text)
		p.Messages = newest(finished(before), room)
	}
	p.Messages = append(p.Messages, question)
	return p, nil
}

// joined puts a blank line between two parts, where there are two.
func joined(instructions, memories string) string {
	if instructions == "" || memories == "" {
		return instructions + memories
	}
	return instructions + "\n\n" + memories
}

// finished are the questions whose answer has ended, each with that answer. An
// answer that failed before its first word leaves its question alone.
func finished(messages []wire.Message) []PromptMessage {
	var list []PromptMessage
	for i := 0; i+1 < len(messages); i += 2 {
		question, answer := messages[i], messages[i+1]
		if answer.FinishReason == "" {
			continue
		}
		list = append(list, PromptMessage{ID: question.ID, Role: question.Role, Text: question.Content})
		if answer.Content != "" {
			list = append(list, PromptMessage{ID: answer.ID, Role: answer.Role, Text: answer.Content})
		}
	}
	return list
}

// newest are the last messages that room holds, from a question on: models
// expect one to come first.
func newest(messages []PromptMessage, room int) []PromptMessage {
	first := len(messages)
	for first > 0 && tokens(messages[first-1].Text) <= room {
		first--
		room -= tokens(messages[first].Text)
	}
	if first < len(messages) && messages[first].Role == wire.RoleAssistant {
		first++
	}
	return messages[first:]
}

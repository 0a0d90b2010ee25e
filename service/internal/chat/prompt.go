package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// tokens estimates what a text costs of a model's window: three bytes of UTF-8
// count as a token, rounded up.
func tokens(text string) int { return (len(text) + 2) / 3 }

// Room is how many tokens the window of an agent has beside its instructions.
func (a Agent) Room() int { return a.window() - tokens(a.Instructions) }

// cost is what a message takes of the window.
func (m PromptMessage) cost() int { return tokens(m.Text) + ImageTokens*len(m.Images) }

// fits refuses a question that has no room beside what always stands in the
// prompt.
func (t *turn) fits() error {
	system, question := tokens(t.system()), asked(t.question)
	if system+question.cost() <= t.agent.window() {
		return nil
	}
	sizes := fmt.Sprintf("%d tokens", tokens(question.Text))
	if count := len(question.Images); count > 0 {
		sizes += fmt.Sprintf(" and %d of %d images", ImageTokens*count, count)
	}
	memories := tokens(t.memories)
	sizes += fmt.Sprintf(" beside %d of instructions", system-memories)
	if memories > 0 {
		sizes += fmt.Sprintf(" and %d of memories", memories)
	}
	return &Error{
		Code:    wire.CodePayloadTooLarge,
		Message: fmt.Sprintf("the message is too long for the agent: %s, and the window holds %d", sizes, t.agent.window()),
		Fields:  []string{wire.FieldMessage},
	}
}

// system is what stands before the messages, whatever the window holds.
func (t *turn) system() string {
	return joined(t.agent.Instructions, t.memories, found(t.results), t.options.form())
}

// prompt makes what the model is asked: the instructions, what is remembered of
// the user, what was found in the web and in documents, what form the user
// wants, the chat as far as it was finished at this moment, and the question.
// When that is more than the agent's window holds, the oldest messages are left
// out, whole ones only, each with its images. Passages of documents take at most
// half of what all else leaves, so that the chat keeps the other half; the worst
// are left out, whole ones only.
func (s *Service) prompt(ctx context.Context, t *turn) (Prompt, error) {
	p := Prompt{Model: t.model, System: t.system(), Results: t.results}
	question := asked(t.question)
	room := t.agent.window() - tokens(p.System) - question.cost()
	room -= t.addPassages(&p, room/2)
	if !t.options.IgnoreChatHistory {
		history, err := s.config.Store.ChatHistory(ctx, t.scope, t.question.ChatID)
		if err != nil {
			return Prompt{}, err
		}
		before := history.Messages
		if t.replaces != "" {
			before = before[:slices.IndexFunc(before, func(m wire.Message) bool { return m.ID == t.question.ID })]
		}
		p.Messages = newest(finished(before), room)
	}
	p.Messages = append(p.Messages, question)
	return p, s.loadImages(ctx, t.scope.ProjectID, p.Messages)
}

// joined puts a blank line between parts; empty ones are none.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, "\n\n")
}

// asked is a question as it stands in a prompt, its images by their ids alone.
func asked(question wire.Message) PromptMessage {
	message := PromptMessage{ID: question.ID, Role: wire.RoleUser, Text: question.Content}
	for _, id := range question.ImageURLs {
		message.Images = append(message.Images, Image{ID: id})
	}
	return message
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
		list = append(list, asked(question))
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
	for first > 0 && messages[first-1].cost() <= room {
		first--
		room -= messages[first].cost()
	}
	if first < len(messages) && messages[first].Role == wire.RoleAssistant {
		first++
	}
	return messages[first:]
}

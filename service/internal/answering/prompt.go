package answering

import (
	"fmt"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// MaxExchanges is how many earlier questions, each with its answer, a prompt has at most, however
// short they are.
const MaxExchanges = 1000

// Cost returns how many tokens of the window a message takes.
func (m PromptMessage) Cost() int { return tokens(m.Text) + ImageTokens*len(m.Images) }

// Fits refuses a question that has no room together with the fixed parts of the prompt. Memories
// get what is left.
func (b Basis) Fits() error {
	told, question := tokens(b.always("", nil)), asked(b.Question)
	told += b.costOfTools()
	if told+question.Cost() <= b.Agent.Tokens() {
		return nil
	}
	sizes := fmt.Sprintf("%d tokens", tokens(question.Text))
	if count := len(question.Images); count > 0 {
		sizes += fmt.Sprintf(" and %d of %d images", ImageTokens*count, count)
	}
	beside := "instructions"
	if len(b.Tools) > 0 {
		beside += " and tools"
	}
	return &fault.Error{
		Code: wire.CodePayloadTooLarge,
		Message: fmt.Sprintf("the message is too long for the agent: %s beside %d of %s, and the window holds %d",
			sizes, told, beside, b.Agent.Tokens()),
		Fields: []string{wire.FieldMessage},
	}
}

// always returns the text that every prompt of the answer has: system, and for an answer only
// from documents the longest notice that they hold nothing.
func (b Basis) always(memories string, results []Result) string {
	system := b.system(memories, results)
	if b.Library == nil || !b.Library.Alone {
		return system
	}
	return joined(system, nothingOf(true, len(results) > 0))
}

// system returns the text before the messages and passages.
func (b Basis) system(memories string, results []Result) string {
	return joined(b.Agent.Instructions, memories, b.resultsSection(results), b.Options.formSection())
}

// asked returns a question as a prompt has it. Its images only have their ids.
func asked(question wire.Message) PromptMessage {
	return PromptMessage{ID: question.ID, Role: wire.RoleUser, Text: question.Content, Images: ImagesNamed(question.ImageURLs)}
}

// ImagesNamed returns images that only have their ids.
func ImagesNamed(ids []string) (all []images.Image) {
	for _, id := range ids {
		all = append(all, images.Image{ID: id})
	}
	return all
}

// newest returns the last messages that fit into room, beginning with a question, because models
// expect one first.
func newest(messages []PromptMessage, room int) []PromptMessage {
	first := len(messages)
	for first > 0 && messages[first-1].Cost() <= room {
		first--
		room -= messages[first].Cost()
	}
	if first < len(messages) && messages[first].Role == wire.RoleAssistant {
		first++
	}
	return messages[first:]
}

package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// tokens estimates what a text costs of a model's window: three bytes of UTF-8
// count as a token, rounded up.
func tokens(text string) int { return (len(text) + tokenBytes - 1) / tokenBytes }

const tokenBytes = 3

// bytesOf is how long a text of so many tokens is at most.
func bytesOf(tokens int) int { return tokens * tokenBytes }

// Room is how many tokens the window of an agent has beside its instructions.
func (a Agent) Room() int { return a.window() - tokens(a.Instructions) }

// MemoryRoom is how many bytes memories take in the prompt of an agent at most.
func (a Agent) MemoryRoom() int { return bytesOf(a.window() / memoryShare) }

// MaxExchanges is how many earlier questions stand in a prompt at most, each
// with its answer, however short they are.
const MaxExchanges = 1000

// Cost is what a message takes of the window.
func (m PromptMessage) Cost() int { return tokens(m.Text) + ImageTokens*len(m.Images) }

// fits refuses a question that has no room beside what always stands in the
// prompt. Memories take what is left.
func (a asking) fits(documents *library) error {
	told, question := tokens(a.always(documents, "", nil)), asked(a.question)
	told += a.costOfTools()
	if told+question.Cost() <= a.agent.window() {
		return nil
	}
	sizes := fmt.Sprintf("%d tokens", tokens(question.Text))
	if count := len(question.Images); count > 0 {
		sizes += fmt.Sprintf(" and %d of %d images", ImageTokens*count, count)
	}
	beside := "instructions"
	if len(a.tools) > 0 {
		beside += " and tools"
	}
	return &fault.Error{
		Code: wire.CodePayloadTooLarge,
		Message: fmt.Sprintf("the message is too long for the agent: %s beside %d of %s, and the window holds %d",
			sizes, told, beside, a.agent.window()),
		Fields: []string{wire.FieldMessage},
	}
}

// always is what stands in the prompt whatever the window holds: system, and in
// an answer from documents alone the longest word on their holding none.
func (a asking) always(documents *library, memories string, results []Result) string {
	system := a.system(memories, results)
	if documents == nil || !documents.alone {
		return system
	}
	return joined(system, nothingFits)
}

// system is what stands before the messages and passages.
func (a asking) system(memories string, results []Result) string {
	return joined(a.agent.Instructions, memories, resultsSection(results), a.options.formSection())
}

// prompt makes what the model is asked: the instructions, what is remembered of
// the user, what was found in the web and in documents, what form the user
// wants, the chat as far as it was finished at this moment, and the question.
// When that is more than the agent's window holds, the oldest messages are left
// out, whole ones only, each with its images. Passages of documents take at most
// half of what all else leaves, so that the chat keeps the other half; the worst
// are left out, whole ones only. What the answer said and called before stands in any case,
// and results share what is left.
func (s *Service) prompt(ctx context.Context, t *turn, found finds) (Prompt, error) {
	b := t.basis
	p := Prompt{
		Model: b.model, System: b.system(b.memories, found.results), Results: found.results, Files: s.config.Store,
		Tools: b.promptTools(), NoCalls: t.last,
	}
	if found.query != b.question.Content {
		p.Query = found.query
	}
	question := asked(b.question)
	room := b.agent.window() - tokens(p.System) - question.Cost() - b.costOfTools()
	room -= b.library.addPassages(&p, found.passages, room/2)
	if room = t.addRounds(&p, room); room < 0 && len(t.past) > 0 {
		return Prompt{}, errOutgrown
	}
	if !b.options.IgnoreChatHistory && b.newChat == nil {
		var err error
		if p.Messages, err = s.config.Store.Recent(ctx, b.scope, b.question.ChatID, b.question.ID, room); err != nil {
			return Prompt{}, err
		}
		p.Messages = withCalls(p.Messages, room)
	}
	p.Messages = append(p.Messages, question)
	return p, s.describeImages(ctx, b.scope.ProjectID, p.Messages)
}

const partGap = "\n\n"

// joined puts a blank line between parts; empty ones are none.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, partGap)
}

// asked is a question as it stands in a prompt, its images by their ids alone.
func asked(question wire.Message) PromptMessage {
	return PromptMessage{ID: question.ID, Role: wire.RoleUser, Text: question.Content, Images: ImagesNamed(question.ImageURLs)}
}

// ImagesNamed are images by their ids alone.
func ImagesNamed(ids []string) (images []Image) {
	for _, id := range ids {
		images = append(images, Image{ID: id})
	}
	return images
}

// newest are the last messages that room holds, from a question on: models
// expect one to come first.
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

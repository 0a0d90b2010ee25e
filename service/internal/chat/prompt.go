package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// tokens estimates how many tokens a text takes of a model's window: a token for each three bytes
// of UTF-8, rounded up.
func tokens(text string) int { return (len(text) + tokenBytes - 1) / tokenBytes }

const tokenBytes = 3

// ImageTokens is how many tokens of a window an image takes, whatever its size.
const ImageTokens = 512

// bytesOf returns how many bytes a text of this many tokens has at most.
func bytesOf(tokens int) int { return tokens * tokenBytes }

// Room returns how many tokens the window of an agent has without its instructions.
func (a Agent) Room() int { return a.window() - tokens(a.Instructions) }

// MemoryRoom returns how many bytes memories may take in the prompt of an agent.
func (a Agent) MemoryRoom() int { return bytesOf(a.window() / memoryShare) }

// MaxExchanges is how many earlier questions, each with its answer, a prompt has at most, however
// short they are.
const MaxExchanges = 1000

// Cost returns how many tokens of the window a message takes.
func (m PromptMessage) Cost() int { return tokens(m.Text) + ImageTokens*len(m.Images) }

// fits refuses a question that has no room together with the fixed parts of the prompt. Memories
// get what is left.
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

// always returns the text that every prompt of the answer has: system, and for an answer only
// from documents the longest notice that they hold nothing.
func (a asking) always(documents *library, memories string, results []Result) string {
	system := a.system(memories, results)
	if documents == nil || !documents.alone {
		return system
	}
	return joined(system, nothingOf(true, len(results) > 0))
}

// system returns the text before the messages and passages.
func (a asking) system(memories string, results []Result) string {
	return joined(a.agent.Instructions, memories, a.resultsSection(results), a.options.formSection())
}

// prompt makes the model's input: the instructions, memories of the user, results of the web
// search, passages of documents, the form that the user wants, the chat up to now, and the
// question. If this is more than the agent's window holds, the oldest messages are left out, each
// as a whole, with its images. Passages take at most half of what the other parts leave, so that
// the chat keeps the other half; the worst passages are left out, each as a whole. What earlier
// rounds of the answer said and called is always included, and their results share the room that
// is left.
func (s *Service) prompt(ctx context.Context, t *turn, found finds) (Prompt, error) {
	b := t.basis
	p := Prompt{
		User: b.scope.UserID, Model: b.model, System: b.system(b.memories, found.results), Results: found.results, Files: s.config.Store,
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

// joined joins the parts with blank lines, and skips empty ones.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, partGap)
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

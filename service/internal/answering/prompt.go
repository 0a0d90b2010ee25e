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

// Size is about how many tokens a message takes, for a Past that reads no more than may fit.
func (m PromptMessage) Size() int { return plain(m.Text) + ImageTokens*len(m.Images) }

// Fits refuses a question that has no room together with the fixed parts of the prompt. Memories
// get what is left.
func (b Basis) Fits() error {
	m, question := b.meter(), asked(b.Question)
	if quick := m.rough(); quick.told(b, "", nil)+quick.cost(question) <= b.Window() {
		return nil
	}
	told, text := m.told(b, "", nil), m.Count(question.Text)+m.head()
	if told+m.cost(question) <= b.Window() {
		return nil
	}
	sizes := fmt.Sprintf("%d tokens", text)
	if count := len(question.Images); count > 0 {
		sizes += fmt.Sprintf(" and %d of %d images", m.images*count, count)
	}
	beside := "instructions"
	if len(b.Tools) > 0 {
		beside += " and tools"
	}
	return &fault.Error{
		Code: wire.CodePayloadTooLarge,
		Message: fmt.Sprintf("the message is too long for the agent: %s beside %d of %s, and the window holds %d",
			sizes, told, beside, b.Window()),
		Fields: []string{wire.FieldMessage},
	}
}

// told counts what every prompt of an answer has besides the chat.
func (m meter) told(b Basis, memories string, results []Result) int {
	return m.Count(b.system(memories)) + m.Count(fenced(longestMark, b.always(results))) + m.costOfTools(b.promptTools())
}

// longestMark stands for the mark of a prompt where sizes are counted.
const longestMark = "00000000"

// always returns what the question always has beside it: results, form, and for an answer only
// from documents the longest notice that they hold nothing.
func (b Basis) always(results []Result) string {
	notice := ""
	if b.Library != nil && b.Library.Alone {
		notice = nothingOf(true, len(results) > 0)
	}
	return joined(notice, b.resultsSection(longestMark, results), b.Options.formSection())
}

const languageRule = "Answer in the language of the user's last message, unless the instructions, the user, or what you remember of the user ask for another."

// system returns the text before the messages: what changes least stands first, so that providers find it in their caches.
func (b Basis) system(memories string) string {
	if b.Model == "" {
		return joined(b.Agent.Instructions, memories)
	}
	today := ""
	if !b.Now.IsZero() {
		today = "Today is " + b.Now.UTC().Format("Monday, 2 January 2006") + "."
	}
	return joined(b.Agent.Instructions, languageRule, memories, today)
}

// asked returns a question as a prompt has it. Its images only have their ids.
func asked(question wire.Message) PromptMessage {
	return PromptMessage{ID: question.ID, Role: wire.RoleUser, Text: question.Content, Images: images.Named(question.ImageURLs)}
}

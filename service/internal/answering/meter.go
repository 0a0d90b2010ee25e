package answering

import (
	"cmp"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tokens"
)

const (
	// ImageTokens is how many tokens of a window an image takes, whatever its size.
	ImageTokens = 512
	// messageTokens is what a model gets with each message: its role, and where it begins and ends.
	messageTokens = 4
	// tokenBytes is how many bytes a token has if no model is asked.
	tokenBytes = 3
	// longestToken is how many bytes a token of an ordinary text has at most.
	longestToken = 2 * tokenBytes
)

// Vocabularies are the names of what the tokens of a model can be counted by.
func Vocabularies() []string { return tokens.Vocabularies() }

// plain estimates how many tokens a text takes if no model is asked.
func plain(text string) int { return tokens.Counter{}.Count(text) }

// BytesOf returns how many bytes a text of this many tokens has at most.
func BytesOf(tokens int) int { return tokens * tokenBytes }

// MostBytesOf returns how many bytes this many tokens of a window can have.
func MostBytesOf(tokens int) int { return tokens * longestToken }

// meter counts what the parts of a prompt take of a model's window.
type meter struct {
	tokens.Counter
	images int // what an image takes
}

// meter returns the meter of the answer's model.
func (b Basis) meter() meter {
	m := meter{tokens.For(b.Model, b.Abilities.Vocabulary).Times(b.Learned.factor(b.Model)), ImageTokens}
	if b.Abilities.Images == NoImages {
		m.images = 0
	}
	return m
}

// rough returns a meter that is quick, and counts no less.
func (m meter) rough() meter { return meter{m.Rough(), m.images} }

// cost returns how many tokens of the window a message takes.
func (m meter) cost(message PromptMessage) int {
	cost := m.Count(message.Text) + m.images*len(message.Images) + m.head()
	for _, call := range message.Calls {
		cost += m.Count(lineOf(call))
	}
	return cost
}

// head is what a message takes in addition to its text.
func (m meter) head() int {
	if m.IsPlain() {
		return 0
	}
	return messageTokens
}

func (m meter) costOfTools(tools []PromptTool) (cost int) {
	for _, one := range tools {
		cost += m.Count(string(stream.Encode(one)))
	}
	return cost
}

// costOfRounds returns how many tokens of the window rounds take.
func (m meter) costOfRounds(rounds []Round) (cost int) {
	for _, round := range rounds {
		shown := m.Count(round.Text)
		for _, call := range round.Calls {
			shown += m.Count(call.Name) + m.Count(call.Arguments) + m.Count(string(call.Extra))
			cost += m.Count(call.Outcome) + m.head() + ImageTokens*len(call.Images)
		}
		cost += shown + m.costOfReturned(round, shown) + m.head()
	}
	return cost
}

// newest returns the last messages that fit into room, beginning with a question, because models expect one first.
func (m meter) newest(messages []PromptMessage, room int) []PromptMessage {
	first := len(messages)
	for first > 0 {
		if room -= m.cost(messages[first-1]); room < 0 {
			break
		}
		first--
	}
	for first < len(messages) && !messages[first].isUsers() {
		first++
	}
	return messages[first:]
}

// Window returns how many tokens a prompt may have: those of the agent, and no more than the model's window holds
// together with an answer.
func (b Basis) Window() int {
	agent := b.Agent.Tokens()
	if b.Model == "" {
		return agent
	}
	model := cmp.Or(b.Abilities.Window, agent)
	return min(agent, model-min(cmp.Or(b.Abilities.OutputTokens, model/answerShare), model/2))
}

// answerShare is the divisor of a window for the room that is kept for the answer if nothing says how long it may be.
const answerShare = 8

const partGap = "\n\n"

// joined joins the parts with blank lines, and skips empty ones.
func joined(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, partGap)
}

package embedded

import (
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// transcript is a chat as it was read: what was said, asked and stated before
// the last message, and the last message itself.
type transcript struct {
	earlier  []message
	last     message
	facts    []fact        // oldest first, those of the last message included
	person   []token       // whom "she" or "it" means at the end
	images   []chat.Image  // of the last message
	results  []chat.Result // of a web search
	memories []string      // those of the prompt, as they stand there
	// approved tells that it was not said in the chat: all of it holds.
	approved bool
}

type message struct {
	page
	id        string
	role      string
	sentences []sentence
}

type sentence struct {
	span
	tokens []token
	mood   mood
	// unreal tells that it is supposed, or material to work on: it states
	// nothing.
	unreal bool
}

func read(prompt chat.Prompt) transcript {
	t, messages := transcript{results: prompt.Results, memories: memory.Recalled(prompt.System)}, prompt.Messages
	for _, m := range messages {
		t.earlier = append(t.earlier, newMessage(m))
	}
	if n := len(t.earlier); n > 0 {
		t.last, t.earlier = t.earlier[n-1], t.earlier[:n-1]
		t.images = messages[n-1].Images
	}
	t.facts, t.person = statedIn(t.said())
	return t
}

func newMessage(m chat.PromptMessage) message {
	own := message{page: newPage(m.Text), id: strings.ToValidUTF8(m.ID, "\uFFFD"), role: m.Role}
	material := false
	for _, s := range sentenceSpans(own.page) {
		tokens := tokenize(own.page, s)
		if len(tokens) == 0 {
			continue
		}
		s := sentence{span: s, tokens: tokens, mood: moodOf(tokens, own.text[s.start:s.end])}
		s.unreal = material || s.mood == states && supposed(tokens)
		material = material || handsOver(s, own.trimmed(s.span))
		own.sentences = append(own.sentences, s)
	}
	return own
}

// handsOver tells whether a sentence asks to work on what follows it, as in
// "Translate this:".
func handsOver(s sentence, text string) bool {
	return (s.mood == asks || s.mood == requests) && strings.HasSuffix(text, ":")
}

// supposed tells "suppose my name is Zoe", which states nothing.
func supposed(tokens []token) bool {
	bare := stripped(tokens, fillers)
	return len(bare) > 0 && suppositions[bare[0].word]
}

// said are the user's messages, the last one included.
func (t transcript) said() []message { return append(t.by(wire.RoleUser), t.last) }

// by are the earlier messages of a role.
func (t transcript) by(role string) []message {
	var own []message
	for _, m := range t.earlier {
		if m.role == role {
			own = append(own, m)
		}
	}
	return own
}

// line is a piece of a message that can be quoted.
type line struct {
	message message
	span
	tokens []token
}

func (l line) text() string { return l.message.trimmed(l.span) }

// statements are the sentences of the user that state something, oldest first.
func (t transcript) statements() []line {
	return lines(t.said(), func(s sentence) bool { return s.mood == states && !s.unreal })
}

// lines are the sentences that pass.
func lines(messages []message, pass func(sentence) bool) []line {
	var all []line
	for _, m := range messages {
		for _, s := range m.sentences {
			if pass(s) {
				all = append(all, line{m, s.span, s.tokens})
			}
		}
	}
	return all
}

func anySentence(sentence) bool { return true }

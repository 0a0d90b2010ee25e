package embedded

import (
	"slices"
	"strings"
	"sync"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// transcript is a prompt as it was read: the last message with its words and what it asks,
// and what was said before.
type transcript struct {
	answering.Prompt
	earlier []answering.PromptMessage
	last    answering.PromptMessage
	words   []english.Word
	asked   []question
	// stated are the facts that the user stated in the chat. remembered are the memories.
	stated, remembered func() []fact
}

// mostAsked is how many questions of a message are answered: the first ones.
const mostAsked = 5

func read(prompt answering.Prompt) transcript {
	t := transcript{Prompt: prompt, earlier: slices.Clone(prompt.Messages)}
	for i, m := range t.earlier {
		t.earlier[i].ID, t.earlier[i].Text = strings.ToValidUTF8(m.ID, "\uFFFD"), strings.ToValidUTF8(m.Text, "\uFFFD")
	}
	if n := len(t.earlier); n > 0 {
		t.last, t.earlier = t.earlier[n-1], t.earlier[:n-1]
	}
	t.words = english.Of(t.last.Text)
	for _, sentence := range sentences(t.last.Text) {
		t.asked = append(t.asked, questionsIn(sentence)...)
	}
	t.asked = t.asked[:min(len(t.asked), mostAsked)]
	t.stated = sync.OnceValue(func() []fact { return factsIn(append(t.by(wire.RoleUser), t.last)) })
	t.remembered = sync.OnceValue(func() (facts []fact) {
		for _, content := range memory.Recalled(prompt.System) {
			facts = append(facts, newFact(content))
		}
		return facts
	})
	return t
}

// by returns the earlier messages of a role that have text.
func (t transcript) by(role string) (all []answering.PromptMessage) {
	for _, m := range t.earlier {
		if m.Role == role && m.Text != "" {
			all = append(all, m)
		}
	}
	return all
}

// sentences cuts a message at line ends and where sentences end.
func sentences(text string) (all []string) {
	for line := range strings.Lines(text) {
		for _, s := range english.Sentences(line) {
			all = append(all, line[s.Start:s.End])
		}
	}
	return all
}

package embedded

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// transcript is a prompt as it was read: the last message with its words and what it asks,
// and what was said before.
type transcript struct {
	chat.Prompt
	earlier []chat.PromptMessage
	last    chat.PromptMessage
	words   []english.Word
	asked   []question
}

func read(prompt chat.Prompt) transcript {
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
	return t
}

// by are the earlier messages of a role that say something.
func (t transcript) by(role string) (all []chat.PromptMessage) {
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
		for _, s := range split.Sentences(line) {
			all = append(all, line[s.Start:s.End])
		}
	}
	return all
}

package embedded

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

// fact is a statement about the user in the third person, "User works at a hospital".
type fact struct {
	canon.Form
	content string
	words   []english.Word
	stems   map[string]bool
	// said are the words of the chat that state it, none where it is a memory.
	said []quote
}

func newFact(content string, said ...quote) fact {
	words := english.Of(content)
	return fact{canon.Of(content), content, words, stemsOf(words), said}
}

func stemsOf(words []english.Word) map[string]bool {
	stems := map[string]bool{}
	for _, w := range words {
		stems[stemOf(w.Plain)] = true
	}
	return stems
}

// stated are the facts that the user stated in the chat, oldest first, without those that a
// later one contradicts.
func (t transcript) stated() (facts []fact) {
	for _, m := range append(t.by(wire.RoleUser), t.last) {
		units := utf16.Encode([]rune(m.Text))
		for _, found := range rules.Detect(m.Text) {
			newer := newFact(found.Content, quote{m.ID, string(utf16.Decode(units[found.Start:found.End]))})
			facts = slices.DeleteFunc(facts, func(f fact) bool { return newer.Contradicts(f.Form) || newer.SameAs(f.Form) })
			facts = append(facts, newer)
		}
	}
	return facts
}

// remembered are the memories of the prompt.
func (t transcript) remembered() (facts []fact) {
	for _, content := range memory.Recalled(t.System) {
		facts = append(facts, newFact(content))
	}
	return facts
}

// told tells a fact to the user, as it stands where it is not sure how.
func (f fact) told() string {
	text, sure := secondPerson(f.content)
	switch {
	case !sure:
		return "I remember: " + closedQuote(f.content)
	case strings.HasSuffix(text, "."):
		return text
	}
	return text + "."
}

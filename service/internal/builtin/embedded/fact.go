package embedded

import (
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// fact is a statement about the user in the third person, "User works at a hospital".
type fact struct {
	canon.Form
	content string
	words   []english.Word
	stems   map[string]bool
	// said are the words in the chat that state it, none for a memory.
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

// Limits of the search for facts: only messages that memory also examines, and only the newest
// bytes of them. Even messages that are made to be slow then take only about a second.
const (
	readRunes = 2000
	readBytes = 8000
)

// factsIn returns the facts that the user stated, oldest first.
func factsIn(messages []answering.PromptMessage) (facts []fact) {
	size := 0
	for _, m := range slices.Backward(messages) {
		if bytesOf(m.Text, readRunes) < len(m.Text) {
			continue
		}
		if size += len(m.Text); size > readBytes {
			break
		}
		var found []fact
		units := utf16.Encode([]rune(m.Text))
		for _, f := range rules.Detect(m.Text) {
			found = append(found, newFact(f.Content, quote{m.ID, string(utf16.Decode(units[f.Start:f.End]))}))
		}
		facts = append(found, facts...)
	}
	return facts
}

// newest returns the last n of the facts that pass. Of the facts in the chat, a later one
// replaces one that it contradicts or repeats. Memories all stay, because each of them was
// approved.
func newest(facts []fact, n int, pass func(fact) bool) (kept []fact) {
	for i, f := range slices.Backward(facts) {
		instead := func(later fact) bool { return f.said != nil && (later.Contradicts(f.Form) || later.SameAs(f.Form)) }
		if len(kept) < n && pass(f) && !slices.ContainsFunc(facts[i+1:], instead) {
			kept = append(kept, f)
		}
	}
	slices.Reverse(kept)
	return kept
}

// told puts a fact into the second person, or leaves it as it is if that is not safe.
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

package rules

import (
	"embed"
	"maps"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

//go:embed words/*.txt
var wordFiles embed.FS

// lexicon holds word lists by the name of their section.
type lexicon map[string]map[string]bool

var (
	nouns      = readLexicon("words/nouns.txt")
	people     = readLexicon("words/people.txt")
	adjectives = readLexicon("words/adjectives.txt")
	verbs      = readLexicon("words/verbs.txt")
	small      = readLexicon("words/small.txt")
	knownVerbs = union(verbs, "like", "habit", "factual", "progress", "life", "event", "ability", "request", "text-task", "task", "answer", "other")
)

// readLexicon reads a file of sections, each headed by its name in brackets.
// "@month" stands for a class of package english.
func readLexicon(path string) lexicon {
	text, err := wordFiles.ReadFile(path)
	if err != nil {
		panic(err) // the file is part of the binary
	}
	lists := lexicon{}
	section := ""
	for _, word := range strings.Fields(string(text)) {
		if strings.HasPrefix(word, "[") {
			section = strings.Trim(word, "[]")
			lists[section] = map[string]bool{}
			continue
		}
		if class, shared := strings.CutPrefix(word, "@"); shared {
			maps.Copy(lists[section], english.Class(class))
			continue
		}
		lists[section][word] = true
	}
	return lists
}

func (l lexicon) has(section, word string) bool { return l[section][word] }

// any reports whether the word is in one of the sections.
func (l lexicon) any(word string, sections ...string) bool {
	for _, section := range sections {
		if l[section][word] {
			return true
		}
	}
	return false
}

func union(l lexicon, sections ...string) map[string]bool {
	all := map[string]bool{}
	for _, section := range sections {
		for word := range l[section] {
			all[word] = true
		}
	}
	return all
}

package canon

import (
	"embed"
	"maps"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/english"
)

// The tables are data that anybody can read and correct. The first line of each explains
// its syntax. They are read once and never change.
//
//go:embed lexicon
var files embed.FS

var (
	synonyms  = readSynonyms()
	classes   = sets("classes")
	phrases   = readPhrases()
	exclusive = readExclusive()
	regions   = readRegions()
	patterns  = readPatterns()
)

// base returns the word that stands for w: the first of its synonyms, or its stem.
func base(w string) string {
	if found, ok := synonyms[w]; ok {
		return found
	}
	if found := english.Base(w); found != "" {
		w = found
	}
	if found, ok := synonyms[w]; ok {
		return found
	}
	s := english.Root(w)
	if found, ok := synonyms[s]; ok {
		return found
	}
	return s
}

// is reports whether a word, or its base, belongs to a class of classes.txt.
func is(class, word string) bool { return classes[class][word] }

type line struct{ name, list string }

func read(table string) []line {
	data, err := files.ReadFile("lexicon/" + table + ".txt")
	if err != nil {
		panic(err) // the file is compiled in
	}
	var lines []line
	for text := range strings.Lines(string(data)) {
		name, list, found := strings.Cut(strings.TrimSpace(text), ":")
		if found && !strings.HasPrefix(name, "#") {
			lines = append(lines, line{name, strings.TrimSpace(list)})
		}
	}
	return lines
}

// readSynonyms maps words and their stems; a stem that two groups claim
// belongs to the first.
func readSynonyms() map[string]string {
	words := map[string]string{}
	claim := func(w, name string) {
		if _, taken := words[w]; !taken {
			words[w] = name
		}
	}
	for _, l := range read("words") {
		claim(l.name, l.name)
		claim(english.Root(l.name), l.name)
		for _, w := range strings.Fields(l.list) {
			words[w] = l.name
			claim(english.Root(w), l.name)
		}
	}
	return words
}

// sets returns the words of each class, both as they are written and as their bases.
func sets(table string) map[string]map[string]bool {
	classes := map[string]map[string]bool{}
	for _, l := range read(table) {
		set := map[string]bool{}
		words := strings.Fields(l.list)
		if class, shared := strings.CutPrefix(l.list, "@"); shared { // one of package english
			words = slices.Collect(maps.Keys(english.Class(class)))
		}
		for _, w := range words {
			set[w] = true
			if l.name != "filler" && l.name != "stop" {
				set[base(w)] = true
			}
		}
		classes[l.name] = set
	}
	return classes
}

func readExclusive() map[string]exclusion {
	values := map[string]exclusion{}
	for _, l := range read("exclusive") {
		for group, words := range strings.Split(l.list, "|") {
			for _, w := range strings.Fields(words) {
				values[base(w)] = exclusion{l.name, group}
			}
		}
	}
	return values
}

// An exclusion says which domain a value belongs to, and on which side.
type exclusion struct {
	domain string
	side   int
}

func readRegions() map[string]string {
	places := map[string]string{}
	for _, l := range read("places") {
		for _, w := range strings.Fields(l.list) {
			if _, taken := places[base(w)]; !taken {
				places[base(w)] = base(l.name)
			}
		}
	}
	return places
}

// bases returns the bases of a table's words.
func bases(text string) []string {
	fields := strings.Fields(text)
	for i, w := range fields {
		fields[i] = base(w)
	}
	return fields
}

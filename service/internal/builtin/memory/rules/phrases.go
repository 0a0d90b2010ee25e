package rules

import "strings"

// phrases are sequences of words, by their first.
type phrases map[string][][]string

// readPhrases reads a file of phrases, one a line. It skips headings and comments.
func readPhrases(path string) phrases {
	text, err := wordFiles.ReadFile(path)
	if err != nil {
		panic(err) // the file is part of the binary
	}
	all := phrases{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) > 0 && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "[") {
			all[words[0]] = append(all[words[0]], words)
		}
	}
	return all
}

// in reports whether one of the phrases is among the tokens.
func (p phrases) in(tokens []token) bool {
	for i := range tokens {
		for _, words := range p[tokens[i].word] {
			if i+len(words) <= len(tokens) && sameWords(tokens[i:], words) {
				return true
			}
		}
	}
	return false
}

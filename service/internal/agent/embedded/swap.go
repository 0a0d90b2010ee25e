package embedded

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

var otherSide = pairs("my your, our your, i you, me you, us you, we you, mine yours, ours yours, myself yourself, am are, your my, yours mine, yourself myself")

// swapped says the user's words from the other side: "my cat" is "your cat".
func swapped(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		end := wordEnd(text, i)
		if end == i {
			_, n := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+n])
			i += n
			continue
		}
		word := text[i:end]
		if other, ok := otherSide[strings.ToLower(word)]; ok {
			word = other
		}
		b.WriteString(word)
		i = end
	}
	return b.String()
}

// sentenceCase begins a text with a capital letter.
func sentenceCase(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

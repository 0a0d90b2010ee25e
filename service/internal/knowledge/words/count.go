package words

import (
	"unicode/utf8"
)

// Count tells how often the words with each of these stems stand in a text. It
// reads only words that begin with the letter of a stem, which makes it many
// times faster than Of.
func Count(text string, stems []string) []float64 {
	counts := make([]float64, len(stems))
	var first [utf8.RuneSelf]bool
	for _, stem := range stems {
		if stem != "" && stem[0] < utf8.RuneSelf {
			first[stem[0]] = true
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			i += size
			continue
		}
		end := i + length(text[i:])
		if r >= utf8.RuneSelf || first[lower(byte(r))] {
			countWord(text[i:end], stems, counts)
		}
		i = end
	}
	return counts
}

func lower(letter byte) byte {
	if 'A' <= letter && letter <= 'Z' {
		return letter + 'a' - 'A'
	}
	return letter
}

func countWord(word string, stems []string, counts []float64) {
	word = Stem(plain(word))
	for i, stem := range stems {
		if word == stem {
			counts[i]++
		}
	}
}

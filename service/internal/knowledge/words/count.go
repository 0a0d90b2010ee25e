package words

import (
	"slices"
	"unicode/utf8"
)

// Counter counts the words of texts that have certain stems. It looks only at
// words that begin with the letter of a stem, and at each once, which makes it
// many times faster than Of. It is for one goroutine.
type Counter struct {
	stems []string
	first [utf8.RuneSelf]bool // letters that words have to begin with
	known map[string]int      // words that came, with the place of their stem, or -1
}

// NewCounter returns a Counter of the words with these stems.
func NewCounter(stems []string) *Counter {
	c := &Counter{stems: stems, known: map[string]int{}}
	for _, stem := range stems {
		if stem != "" && stem[0] < utf8.RuneSelf {
			c.first[stem[0]] = true
		}
	}
	return c
}

// Count tells how often words with each of the stems stand in a text.
func (c *Counter) Count(text string) []float64 {
	counts := make([]float64, len(c.stems))
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if !inWord(r) {
			i += size
			continue
		}
		end := i + length(text[i:])
		if r >= utf8.RuneSelf || c.first[lower(byte(r))] {
			if place := c.place(text[i:end]); place >= 0 {
				counts[place]++
			}
		}
		i = end
	}
	return counts
}

func (c *Counter) place(word string) int {
	place, found := c.known[word]
	if !found {
		place = slices.Index(c.stems, Stem(plain(word)))
		c.known[word] = place
	}
	return place
}

func lower(letter byte) byte {
	if 'A' <= letter && letter <= 'Z' {
		return letter + 'a' - 'A'
	}
	return letter
}

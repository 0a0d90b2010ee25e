package english

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Counter counts the words of texts that have certain stems. It looks only at words
// whose first letter fits one of the stems, and at each word once, which makes it
// many times faster than Of. It is not safe for concurrent use.
type Counter struct {
	stems []string
	first [256]bool      // bytes that such words can begin with
	known map[string]int // words seen so far, with the index of their stem, or -1
}

// NewCounter returns a Counter of the words with these stems.
func NewCounter(stems []string) *Counter {
	c := &Counter{stems: stems, known: map[string]int{}}
	for letter := utf8.RuneSelf; letter < len(c.first); letter++ {
		c.first[letter] = true // it may lose its accent
	}
	for _, stem := range stems {
		c.begins(stem)
	}
	for form, base := range verbs {
		if form[0] != base[0] && slices.Contains(stems, Stem(form)) {
			c.begins(form) // "went" has the stem "go"
		}
	}
	return c
}

// begins makes Count look at words that begin like this one.
func (c *Counter) begins(word string) {
	if word != "" {
		c.first[word[0]] = true
		c.first[strings.ToUpper(word[:1])[0]] = true
	}
}

// Count returns how often words with each of the stems occur in a text.
func (c *Counter) Count(text string) []float64 {
	counts := make([]float64, len(c.stems))
	for start, end := range searched.places(text) {
		if c.first[text[start]] {
			if place := c.place(text[start:end]); place >= 0 {
				counts[place]++
			}
		}
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

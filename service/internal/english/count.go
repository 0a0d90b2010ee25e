package english

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Counter counts the words of texts that have certain stems. It looks only at
// words that begin as one with such a stem can, and at each once, which makes it
// many times faster than Of. It is for one goroutine.
type Counter struct {
	stems []string
	first [256]bool      // bytes that such words can begin with
	known map[string]int // words that came, with the place of their stem, or -1
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

// begins has words that begin like this one looked at.
func (c *Counter) begins(word string) {
	if word != "" {
		c.first[word[0]] = true
		c.first[strings.ToUpper(word[:1])[0]] = true
	}
}

// Count says how often words with each of the stems stand in a text.
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

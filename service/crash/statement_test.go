package crash_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"

	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// statements are templates of messages. %s becomes a word that no other message has, so no two
// memories are equal.
// A new home or workplace contradicts the old one.
var statements = []string{
	"I live in %s.",
	"I moved to %s last year.",
	"I work at %s, and I like the music of %s.",
	"My dog is called %s, and I live in %s.",
	"I love %s cheese.",
	"What is the weather like in %s today?", // nothing to remember
}

// words generates unique words.
type words struct{ last atomic.Uint64 }

const (
	consonants = "bdfgklmnprtv"
	vowels     = "aeiou"
	syllables  = uint64(len(consonants) * len(vowels))
)

// next returns a new word: three syllables and an invented ending. Consecutive words differ clearly.
func (w *words) next() string {
	number := w.last.Add(1) * 7919 % (syllables * syllables * syllables)
	word := []byte{}
	for range 3 {
		syllable := number % syllables
		number /= syllables
		word = append(word, consonants[syllable/uint64(len(vowels))], vowels[syllable%uint64(len(vowels))])
	}
	word[0] -= 'a' - 'A'
	return string(word) + "x"
}

// say returns a random statement with new words.
func (w *words) say(random *rand.Rand) string {
	statement := statements[random.IntN(len(statements))]
	var all []any
	for range strings.Count(statement, "%s") {
		all = append(all, w.next())
	}
	return fmt.Sprintf(statement, all...)
}

// wanted returns the memories that a message must yield.
func wanted(text string) (contents []string) {
	findings, _ := memory.Embedded{}.Detect(context.Background(), text, nil) // Embedded never fails
	for _, f := range findings {
		contents = append(contents, f.Content)
	}
	return contents
}

package english_test

import (
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/lineartest"
)

// TestTextIsReadInLinearTime reads texts that make reading slow where a place of the text is looked at again and again.
func TestTextIsReadInLinearTime(t *testing.T) {
	for _, part := range []string{
		"%d ", "A.\u00a0", "A.*", "a.b.", "1.\u00a0", ". ", ".    ", "! ( ", ".[1", ".[12]", ":1", "'", "a'", "n't", "-", "a-", "?\n", "\n\n", " | \n", "- \n", "é", "漢", "e.g. ",
		"…", "”", "$", "#a", "“", "a\u0301", "...", ". \u2028", "de La ", "c'", "US ", "x",
	} {
		t.Run(part, func(t *testing.T) {
			lineartest.Check(t, part, 2000, func(text string) {
				english.Of(text)
				english.Tokens(text)
				english.Sentences(text)
				english.Is(text)
				english.Subject(english.Of("Tell me about " + text))
			})
		})
	}
}

package answering_test

import (
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/answering"
	finding "github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/lineartest"
)

// TestWordsAreComparedInLinearTime reads long answers, and questions up to the longest that the service accepts.
func TestWordsAreComparedInLinearTime(t *testing.T) {
	hits := []finding.Hit{{Key: "a", Title: "Rivers", Passage: split.Passage{Text: "The Ashby rises in the hills."}}}
	long := lineartest.Repeated("%d ", 4000)
	for name, read := range map[string]func(string){
		"an answer":                    func(text string) { answering.Match("Where does it rise?", text, hits) },
		"an answer to a long question": func(text string) { answering.Match(long, text, hits) },
		"a question":                   func(text string) { answering.Match(text, "The Ashby rises in the hills.", hits) },
		"a question and its answer":    func(text string) { answering.Match(text, text, hits) },
		"a follow-up":                  func(text string) { answering.FollowUp(text) },
		"marks":                        func(text string) { answering.Unmarked(8, text) },
	} {
		for _, part := range []string{"%d ", "hills %d. ", "It %d.\n", "it ", "[1] ", "[1", ", ", "` ", "a.\u00a0", "x", "? "} {
			t.Run(name+" of "+part, func(t *testing.T) { lineartest.Check(t, part, 2000, read) })
		}
	}
}
